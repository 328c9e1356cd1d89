#!/bin/sh
# Neither reads nor ends.
exec sleep 1000
