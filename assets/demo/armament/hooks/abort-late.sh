#!/bin/sh
# Asks for something post:tool cannot do.
cat >/dev/null
printf '{"abort":true,"reason":"too late"}'
