#!/bin/sh
# Refuses `rm -rf`. Exit 2 blocks, and the model reads what stands on stderr.
input=$(cat)
case $input in
*'rm -rf'*)
    echo 'rm -rf is not allowed here' >&2
    exit 2
    ;;
esac
