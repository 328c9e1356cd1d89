#!/usr/bin/env no-such-interpreter-here
echo ran
