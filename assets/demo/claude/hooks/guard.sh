#!/bin/sh
# Exit 2 blocks the call; the model reads stderr.
case $(cat) in
*'rm -rf'*) echo "rm -rf is not allowed here" >&2; exit 2 ;;
esac
