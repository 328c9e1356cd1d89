#!/bin/sh
# Stops; a TERM alone would wait for ever.
echo $$ >"$1"
kill -STOP $$
sleep 1000
