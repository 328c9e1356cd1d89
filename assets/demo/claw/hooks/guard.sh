#!/bin/sh
# Exit 2 denies; stdout is the message.
case $HOOK_TOOL_INPUT in
*'rm -rf'*) echo "rm -rf is not allowed here"; exit 2 ;;
esac
