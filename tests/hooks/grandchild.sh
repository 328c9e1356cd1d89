#!/bin/sh
# Has a child of its own and waits for it.
sleep 1000 &
echo $! >"$1"
wait
