#!/bin/sh
# Exit 0: stdout becomes feedback below the tool's output.
echo "Prefer small steps."
