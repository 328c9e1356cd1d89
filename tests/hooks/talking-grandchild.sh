#!/bin/sh
# Ends at once; a child keeps talking into stdout.
(while :; do echo more; sleep 0.02; done) &
echo $! >"$1"
