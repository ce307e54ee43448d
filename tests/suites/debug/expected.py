"""Records the stops of CPython's own tracing at the lines marked `# stop`, with the values
there: the oracle for programs/.

It reads the folders of programs, one a line of stdin, and prints a line of JSON for each.
"""

import contextlib
import io
import json
import os
import sys
import types

MARK = "# stop"
INNER = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")

# MicroPython's module of this name, as far as the programs use it.
micropython = types.ModuleType("micropython")
micropython.native = lambda function: function
sys.modules["micropython"] = micropython


class Watched:
    """A program in a folder of its own, whose `main.py` it begins with."""

    def __init__(self, folder):
        self.folder = folder
        self.marked = {}
        self.stops = []
        for place, _, names in os.walk(folder):
            for path in (os.path.join(place, name) for name in names if name.endswith(".py")):
                with open(path, encoding="utf-8") as text:
                    self.marked[path] = {line for line, one in enumerate(text, 1) if MARK in one}

    def run(self):
        path = os.path.join(self.folder, "main.py")
        with open(path, encoding="utf-8") as text:
            code = compile(text.read(), path, "exec")
        before = set(sys.modules)
        sys.path.insert(0, self.folder)
        sys.settrace(self.trace)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, {"__name__": "__main__"})
        except Exception:
            # The board says how a program ends; here it is only watched.
            pass
        finally:
            sys.settrace(None)
            sys.path.remove(self.folder)
            for name in set(sys.modules) - before:
                del sys.modules[name]

    def trace(self, frame, event, _):
        marked = self.marked.get(frame.f_code.co_filename)
        if marked is None or frame.f_code.co_name in INNER:
            return None
        if event == "line" and frame.f_lineno in marked:
            self.stops.append({"stack": list(self.stack(frame)), "values": values(frame)})
        return self.trace

    def stack(self, frame):
        while frame:
            code = frame.f_code
            if code.co_filename in self.marked and code.co_name not in INNER:
                name = "<module>" if code.co_name == "<module>" else code.co_qualname.replace("<locals>.", "")
                yield "%s:%d" % (name, frame.f_lineno)
            frame = frame.f_back


def values(frame):
    """The variables of which both Pythons write the same, as they write them."""
    return {name: repr(value) for name, value in frame.f_locals.items() if is_simple(value) and not name.startswith("__")}


def is_simple(value):
    if isinstance(value, (list, tuple)):
        return all(map(is_simple, value))
    # MicroPython escapes what is not ASCII on some boards.
    return value is None or isinstance(value, (bool, int)) or isinstance(value, str) and value.isascii()


for line in sys.stdin:
    watched = Watched(line.rstrip("\n"))
    watched.run()
    print(json.dumps(watched.stops))
