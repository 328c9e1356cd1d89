#!/bin/sh
# Ends when the hook after it has ended: DIR OWN NEXT.
[ -n "$3" ] && until [ -e "$1/$3" ]; do sleep 0.01; done
: >"$1/$2"
