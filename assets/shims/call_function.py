"""Imports module.function, calls it with the event on stdin, and prints what came of it as one JSON line.

What the function prints itself goes to stderr, so that it cannot be taken for the answer.
"""
import asyncio, importlib, inspect, json, os, sys, threading
from datetime import datetime


class HookEvent:
    def __init__(self, fields):
        self.__dict__.update(fields)
        try:
            self.timestamp = datetime.fromisoformat(fields["timestamp"].replace("Z", "+00:00"))
        except (KeyError, ValueError, AttributeError):
            pass
        self._fields = fields

    def to_dict(self):
        return dict(self._fields)

    def to_json(self):
        return json.dumps(self._fields)


KEYS = ("decision", "reason", "updated_input", "inject", "allowed", "modified_args", "metadata", "hook_errors")


def say(kind, value):
    sys.stdout.flush()
    os.write(answer, (json.dumps({kind: value}) + "\n").encode())
    os._exit(0)


def plain(value):
    if value is None or isinstance(value, dict):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    found = {k: getattr(value, k) for k in KEYS if hasattr(value, k)}
    if found:
        return {k: plain(v) if not isinstance(v, (str, bool, int, float, list)) else v for k, v in found.items()}
    say("other_type", type(value).__name__)


def call(function, event):
    if inspect.iscoroutinefunction(function):
        return asyncio.run(function(event))
    box = {}

    def work():
        try:
            box["value"] = function(event)
        except BaseException as error:
            box["error"] = error

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if "error" in box:
        raise box["error"]
    value = box["value"]
    return asyncio.run(value) if inspect.isawaitable(value) else value


answer = os.dup(1)
os.dup2(2, 1)
path = sys.argv[1]
event = HookEvent(json.load(sys.stdin))
try:
    module, _, name = path.rpartition(".")
    if not module:
        raise ImportError("'%s' is not module.function" % path)
    function = getattr(importlib.import_module(module), name)
except Exception as error:
    say("import_error", str(error))
try:
    result = plain(call(function, event))
    text = json.dumps(result, default=str)
except Exception as error:
    say("exception", str(error) or type(error).__name__)
sys.stdout.flush()
os.write(answer, ('{"result": ' + text + "}\n").encode())
os._exit(0)
