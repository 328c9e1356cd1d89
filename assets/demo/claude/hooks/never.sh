#!/bin/sh
# Never runs: `mcp__files` is an exact name; all tools of a server need `mcp__files__.*`.
cat >/dev/null
