#!/bin/sh
# Its child makes a process group of its own inside the session, as `timeout` and job control do.
timeout 1000 sh -c 'echo $$ >"$0"; exec sleep 1000' "$1"
