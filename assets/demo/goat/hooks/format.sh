#!/bin/sh
# Rewrites the input of Write: a trailing newline is added to the content.
cat >/dev/null
printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"file_path":"notes.txt","content":"hello\\n"}}}'
