#!/bin/sh
# Reports its progress line by line, in colour, and decides nothing.
cat >/dev/null
i=0
while [ $i -lt 5 ]; do
  i=$((i + 1))
  printf '\033[32mstep %s of 5\033[0m\n' "$i" >&2
  sleep 0.2
done
