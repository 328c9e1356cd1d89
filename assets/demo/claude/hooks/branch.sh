#!/bin/sh
# Plain stdout becomes context here.
cat >/dev/null
echo "You are on branch main."
