#!/bin/sh
# Writes 300 KB before it reads a single byte.
head -c 300000 /dev/zero | tr '\0' x >&2
wc -c
