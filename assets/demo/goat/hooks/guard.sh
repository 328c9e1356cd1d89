#!/bin/sh
# Denies `rm -rf`; says nothing about other commands.
input=$(cat)
case $input in
*'rm -rf'*) printf '{"decision":"block","reason":"rm -rf is not allowed here"}' ;;
esac
