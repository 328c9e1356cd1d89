#!/bin/sh
# Refuses `rm -rf`. Exit 0 and a JSON answer decide; any other exit is a failed hook.
input=$(cat)
case $input in
*'rm -rf'*) printf '{"decision":"deny","reason":"rm -rf is not allowed here"}' ;;
esac
