#!/bin/sh
# Never stops having children.
echo $$ >"$1"
n=0
while [ $n -lt 2000 ]; do
  sleep 1000 &
  n=$((n + 1))
done
wait
