#!/bin/sh
# Prints a beginning, BYTES of filler, and an end.
printf BEGIN
head -c "$1" /dev/zero | tr '\0' y
printf END
