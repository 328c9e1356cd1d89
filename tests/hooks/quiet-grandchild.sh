#!/bin/sh
# Ends at once; a silent child keeps stdout open.
sleep 1000 &
echo $! >"$1"
