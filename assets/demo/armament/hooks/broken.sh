#!/bin/sh
# Throws: a non-zero exit with stderr as the error.
echo "scanner down" >&2
exit 1
