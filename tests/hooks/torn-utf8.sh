#!/bin/sh
# Sends a three-byte character in two pieces, then bytes that are no character at all.
printf '\342\202'
until [ -e "$1" ]; do sleep 0.01; done
printf '\254|\377\376|'
