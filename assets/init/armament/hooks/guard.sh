#!/bin/sh
# Refuses `rm -rf`. A JSON answer with abort ends the action.
input=$(cat)
case $input in
*'rm -rf'*) printf '{"abort":true,"reason":"rm -rf is not allowed here"}' ;;
esac
