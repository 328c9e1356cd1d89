#!/bin/sh
# Means to object, but this host reads exit 2 as a failed hook.
cat >/dev/null
echo "lint failed" >&2
exit 2
