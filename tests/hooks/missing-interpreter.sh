#!/opt/no/such/interpreter
echo ran
