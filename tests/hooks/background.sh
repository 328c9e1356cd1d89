#!/bin/sh
# Leaves a child behind that holds none of our pipes.
sleep 1000 >/dev/null 2>&1 &
echo $! >"$1"
