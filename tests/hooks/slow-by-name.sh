#!/bin/sh
# Ends when the run of the hook after it is over: DIR OWN NEXT. A process that was waited for is gone, not only dead.
echo $$ >"$1/$2.new"
mv "$1/$2.new" "$1/$2"
[ -z "$3" ] && exit 0
until [ -e "$1/$3" ]; do sleep 0.01; done
while kill -0 "$(cat "$1/$3")" 2>/dev/null; do sleep 0.01; done
exit 0
