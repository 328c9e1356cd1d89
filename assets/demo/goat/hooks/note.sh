#!/bin/sh
# Adds context after the tool ran.
cat >/dev/null
printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"Output was scanned: nothing found."}}'
