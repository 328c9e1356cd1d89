#!/bin/sh
# Only for agent_a; asks before it goes on.
cat >/dev/null
printf '{"decision":"ask","reason":"agent_a writes a file"}'
