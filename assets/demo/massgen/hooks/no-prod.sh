#!/bin/sh
# Denies writing below prod/.
case $(cat) in
*'"path":"prod/'*) printf '{"decision":"deny","reason":"prod is read-only"}' ;;
*) printf '{}' ;;
esac
