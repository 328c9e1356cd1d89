#!/bin/sh
# Prints the signal mask and the ignored signals a child process inherits from us.
grep -E '^Sig(Blk|Ign)' /proc/self/status
