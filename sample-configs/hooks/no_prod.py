#!/usr/bin/env python3
"""Lets everything pass; a place to begin."""
import json
import sys

json.load(sys.stdin)
print(json.dumps({"decision": "allow"}))
