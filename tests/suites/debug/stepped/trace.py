"""Records the lines that CPython's own tracing visits in programs: the oracle for stepping.

A line of stdin is a program in JSON: its folder, its files, and for each file the function of each line at which it can
stop and the line at which the statement of each line begins. A line of JSON comes back for each: what it printed, how it
ended, and its visits.

Differences to a plain trace, each of which the debugger's README names:

- lines at which nothing can stop (`def`, `class`, `try`, `else`, constant conditions) are no visits;
- a `for` and a `with` are visited when they begin, and not again between their rounds and at their ends;
- a statement of several lines is visited once, where it begins;
- a line that follows itself counts once: a loop on one line, or two calls of a function of one line;
- lambdas, comprehensions and generator expressions have no frames, and the body of a class is its module's.
"""

import ast
import contextlib
import io
import json
import os
import sys

INNER = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
OPTIMIZED = 1
COROUTINE = 0x80
SUSPENDED = 0x2A0
LIMIT = 3000


class TooLong(BaseException):
    pass


class Watched:
    def __init__(self, case):
        self.folder = case["folder"]
        self.files = {}
        self.loops = {}
        for name, known in case["files"].items():
            path = os.path.join(self.folder, name)
            self.files[path] = known
            with open(path, encoding="utf-8") as text:
                self.loops[path] = rounds(ast.parse(text.read()))
        self.before = {}
        self.visits = []
        self.events = 0
        self.is_async = False

    def run(self):
        path = os.path.join(self.folder, "main.py")
        with open(path, encoding="utf-8") as text:
            code = compile(text.read(), path, "exec")
        known = set(sys.modules)
        sys.path.insert(0, self.folder)
        printed = io.StringIO()
        end = None
        sys.settrace(self.trace)
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, {"__name__": "__main__"})
        except TooLong:
            return None
        except SystemExit:
            end = "SystemExit"
        except BaseException as error:
            end = type(error).__name__
        finally:
            sys.settrace(None)
            sys.path.remove(self.folder)
            for name in set(sys.modules) - known:
                del sys.modules[name]
        return {"printed": printed.getvalue(), "end": end, "visits": self.visits}

    def trace(self, frame, event, _):
        known = self.files.get(frame.f_code.co_filename)
        if known is None or frame.f_code.co_name in INNER:
            return None
        if event == "line":
            self.events += 1
            if self.events > LIMIT:
                raise TooLong
            line = known["starts"].get(str(frame.f_lineno), frame.f_lineno)
            before, last = self.before.get(frame, (0, 0))
            self.before[frame] = line, frame.f_lineno
            if before == line and (frame.f_lineno != line or last != line):
                # Another line of the same statement.
                return self.trace
            body = self.loops[frame.f_code.co_filename].get(line)
            if not (body and body[0] <= before <= body[1]):
                self.visit(frame, known, line)
        elif event == "return" and not frame.f_code.co_flags & SUSPENDED:
            self.before.pop(frame, None)
        return self.trace

    def visit(self, frame, known, line):
        stack = list(self.stack(frame))
        self.is_async |= bool(frame.f_code.co_flags & COROUTINE)
        if known["stops"].get(str(line)) != stack[0]:
            return
        file = os.path.relpath(frame.f_code.co_filename, self.folder)
        visit = {"file": file, "line": line, "stack": stack, "is_async": self.is_async}
        if self.visits and {**self.visits[-1], "values": 0, "free": 0} == {**visit, "values": 0, "free": 0}:
            return
        visit["values"] = values(frame)
        visit["free"] = frame.f_code.co_freevars
        self.visits.append(visit)

    def stack(self, frame):
        while frame:
            code = frame.f_code
            is_ours = code.co_filename in self.files and code.co_name not in INNER
            if is_ours and (code.co_flags & OPTIMIZED or code.co_name == "<module>"):
                yield "<module>" if code.co_name == "<module>" else code.co_qualname.replace("<locals>.", "")
            frame = frame.f_back


def rounds(tree):
    """The lines of the body of each `for` and `with`, by the line of its header."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
            found[node.lineno] = (node.body[0].lineno, node.body[-1].end_lineno)
    return found


def values(frame):
    """The variables of which both Pythons write the same."""
    return {name: repr(value) for name, value in frame.f_locals.items() if is_simple(value) and not name.startswith("__")}


def is_simple(value):
    return value is None or isinstance(value, (bool, int)) or isinstance(value, str) and value.isascii() and "'" not in value


for line in sys.stdin:
    print(json.dumps(Watched(json.loads(line)).run()))
