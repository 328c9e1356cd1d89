#!/bin/sh
# Notes how many of its kind are alive with it: DIR NAME.
: >"$1/alive/$2"
ls "$1/alive" | wc -l >>"$1/counts"
rm "$1/alive/$2"
