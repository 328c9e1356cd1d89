#!/bin/sh
# Will not end for a TERM.
trap '' TERM INT HUP
echo $$ >"$1"
while :; do sleep 0.05; done
