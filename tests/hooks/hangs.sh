#!/bin/sh
# Writes its process id and hangs, deaf to INT and HUP.
trap '' INT HUP
echo $$ >"$1"
exec sleep 1000
