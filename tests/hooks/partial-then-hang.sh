#!/bin/sh
# Says something useful and then hangs.
echo "got this far"
echo "and complained" >&2
exec sleep 1000
