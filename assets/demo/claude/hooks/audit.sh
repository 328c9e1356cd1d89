#!/bin/sh
# Adds a line for the model and decides nothing.
cat >/dev/null
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"This call was audited."}}'
