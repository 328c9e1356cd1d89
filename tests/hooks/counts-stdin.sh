#!/bin/sh
# Reads to the end of stdin, which must come.
wc -c
