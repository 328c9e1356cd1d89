#!/bin/sh
# Writes to the two streams in turn, waiting for a go in between.
echo one
until [ -e "$1.1" ]; do sleep 0.01; done
echo two >&2
until [ -e "$1.2" ]; do sleep 0.01; done
echo three
