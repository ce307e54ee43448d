"""nREPL as PyPI's nrepl-python-client speaks it: what its watches are given, a line for each."""

import queue
import sys

import nrepl

connection = nrepl.WatchableConnection(nrepl.connect("nrepl://127.0.0.1:" + sys.argv[1]))
messages = queue.Queue()
connection.watch("all", {}, lambda message, _connection, _key: messages.put(message))


def ask(**request):
    """All replies to a request, up to the last one."""
    connection.send(request)
    replies = []
    while not replies or "done" not in replies[-1].get("status", []):
        replies.append(messages.get(timeout=300))
    return replies


def each(replies, key):
    return [reply[key] for reply in replies if key in reply]


print("value", *each(ask(op="eval", id="1", code='(println "a") (+ 1 2) 4'), "value"))
session = each(ask(op="clone", id="2"), "new-session")[0]
ask(op="eval", id="3", session=session, code="(define x 42)")
print("x", *each(ask(op="eval", id="4", session=session, code="x"), "value"))
print("ex", *each(ask(op="eval", id="5", session=session, code="(car 5)"), "ex"))
connection.send({"op": "eval", "id": "6", "session": session, "code": "(println (read-line))"})
while "need-input" not in messages.get(timeout=300).get("status", []):
    pass
connection.send({"op": "stdin", "id": "7", "session": session, "stdin": "typed\n"})
out = ""
while "typed" not in out:
    out = messages.get(timeout=300).get("out", "")
print("read", out.strip())
