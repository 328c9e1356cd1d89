#!/bin/sh
# Keeps the agent going once, as if tests had failed.
case $(cat) in
*'"stop_hook_active":true'*) ;;
*) echo "Two tests fail. Fix them before you stop." >&2; exit 2 ;;
esac
