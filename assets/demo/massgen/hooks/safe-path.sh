#!/bin/sh
# Rewrites the input; the hooks after it and the tool see the new one.
cat >/dev/null
printf '{"updated_input":{"path":"safe/notes.txt"}}'
