#!/bin/sh
# Tries to rule the screen: clear, move, title, bell, colour, carriage return.
cat >/dev/null
printf '\033[2J\033[H\033]0;owned\007\033[31mred\033[0m\rback\ttab\n' >&2
exit 3
