#!/bin/sh
# Notes each call on stderr and adds a line for the model.
cat >/dev/null
echo "audited" >&2
printf '{"systemMessage":"This call was audited."}'
