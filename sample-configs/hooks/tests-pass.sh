#!/bin/sh
# Keeps the agent going until the tests pass, but never for ever.
input=$(cat)
case $input in *'"stop_hook_active":true'*) exit 0 ;; esac
make -s test >&2 || exit 2
