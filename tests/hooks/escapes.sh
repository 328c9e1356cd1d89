#!/bin/sh
# Its child leaves the session before the hook hangs.
setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$1" &
until [ -s "$1" ]; do sleep 0.01; done
wait
