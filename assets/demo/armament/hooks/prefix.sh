#!/bin/sh
# Changes the prompt that is sent.
cat >/dev/null
printf '{"modify":{"prompt":"[careful] hello"}}'
