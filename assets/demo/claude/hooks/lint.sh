#!/bin/sh
# Tells the model what is wrong after the fact.
cat >/dev/null
printf '{"decision":"block","reason":"line 3 is too long"}'
