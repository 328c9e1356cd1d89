#!/bin/sh
# Takes longer than its limit allows.
cat >/dev/null
echo "asking the proxy..." >&2
sleep 30
