#!/usr/bin/env python3
"""Refuses `rm -rf`. Exit 0 and a JSON answer decide; any other exit lets the call pass."""
import json
import sys

event = json.load(sys.stdin)
if "rm -rf" in json.dumps(event.get("tool_input", {})):
    print(json.dumps({"decision": "deny", "reason": "rm -rf is not allowed here"}))
else:
    print(json.dumps({"decision": "allow"}))
