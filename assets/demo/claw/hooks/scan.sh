#!/bin/sh
# Denies after the fact when the output holds a secret.
case $HOOK_TOOL_OUTPUT in
*SECRET*) echo "the output holds a secret"; exit 2 ;;
esac
