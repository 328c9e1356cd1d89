#!/bin/sh
# Leaves its last line open and goes on.
printf 'half a line'
until [ -e "$1" ]; do sleep 0.01; done
