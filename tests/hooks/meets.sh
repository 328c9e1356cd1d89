#!/bin/sh
# Ends only when all COUNT of its kind are here together: DIR NAME COUNT.
: >"$1/$2"
until [ "$(ls "$1" | wc -l)" -ge "$3" ]; do sleep 0.01; done
