#!/bin/sh
# Refuses `rm -rf`. Exit 2 denies, and stdout is the reason.
case $HOOK_TOOL_INPUT in
*'rm -rf'*)
    echo 'rm -rf is not allowed here'
    exit 2
    ;;
esac
