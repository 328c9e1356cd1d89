#!/bin/sh
# Ends while a child of its own is about to say a last word.
(sleep 0.15; echo cleaned) &
echo early
