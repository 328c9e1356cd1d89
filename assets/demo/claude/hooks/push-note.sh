#!/bin/sh
# Runs only for git push: see its `if`.
cat >/dev/null
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"about to push"}}'
