#!/bin/sh
# Rewrites the input of the call.
cat >/dev/null
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"/home/dev/app/safe/notes.txt","content":"hello"}}}'
