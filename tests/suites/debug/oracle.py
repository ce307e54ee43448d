"""Runs programs plain and with hooks, in CPython and in MicroPython, and says where the two differ.

A case is a line of JSON: the text, the pieces with hooks and their maps, the hooks' prefix, the variables' names by
function, the function of each line at which it can stop, and for each line within a statement where that begins.
"""

import io
import json
import sys

from support import Lock, Manager, Ticks, const, drive, pause, same

LIMIT = 1500
INNER = ("<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
HAS_TRACE = hasattr(sys, "settrace")


class Endless(Exception):
    pass


class Run:
    """One run of a program: what it printed, and how it ended."""

    def __init__(self):
        self.printed = []
        self.visited = []
        self.values = {}
        self.globals = {
            "__name__": "__main__",
            "print": self.print,
            "Manager": Manager,
            "pause": pause,
            "Lock": Lock,
            "Ticks": Ticks,
            "drive": drive,
            "same": same,
            "const": const,
        }
        self.end = None

    def print(self, *values):
        self.printed.append(repr(values))
        if len(self.printed) > LIMIT:
            raise Endless

    def execute(self, texts, maps):
        for number, text in enumerate(texts):
            try:
                exec(compile(text, "program%d" % number, "exec"), self.globals)
            except Exception as error:
                self.end = (type(error).__name__, str(error), self.lines(error, maps))
                return

    def lines(self, error, maps):
        """The lines of the traceback that are the program's, as the maps have them."""
        lines = []
        for name, line in frames(error):
            if name.startswith("program"):
                lines.append(maps[int(name[7:])][line - 1])
        return lines


def frames(error):
    if HAS_TRACE:
        trace = error.__traceback__
        while trace:
            yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
            trace = trace.tb_next
    else:
        text = io.StringIO()
        sys.print_exception(error, text)
        for line in text.getvalue().split("\n"):
            if line.startswith('  File "'):
                name, rest = line[8:].split('", line ')
                yield name, int(rest.split(",")[0])


def plain(case):
    run = Run()
    if HAS_TRACE:
        sys.settrace(tracer(run, case["stops"], case["starts"]))
    try:
        run.execute([case["text"]], [list(range(1, case["text"].count("\n") + 3))])
    finally:
        if HAS_TRACE:
            sys.settrace(None)
    return run


def tracer(run, stops, starts):
    def trace(frame, event, argument):
        if not frame.f_code.co_filename.startswith("program"):
            return None
        line = starts.get(str(frame.f_lineno), frame.f_lineno)
        if event == "line" and is_at(frame, stops.get(str(line))):
            visit(run, line, frame.f_locals)
        return trace

    return trace


def is_at(frame, name):
    """Returns true if the function of this name can stop where the frame is; the name of a
    module's body is empty."""
    OPTIMIZED = 1
    code = frame.f_code
    if code.co_name in INNER or name is None:
        return False
    return code.co_name == name if name else not code.co_flags & OPTIMIZED


def visit(run, line, values):
    if line not in run.values:
        run.visited.append(line)
        run.values[line] = {name: shown(value) for name, value in values.items() if is_simple(value)}


def is_simple(value):
    return value is None or isinstance(value, (int, str)) or isinstance(value, (list, tuple)) and all(map(is_simple, value))


def shown(value):
    return repr(value)


def hooked(case, hooks, is_watched):
    run = Run()
    prefix = case["prefix"]
    inner = {"__name__": "hooks"}
    exec(hooks.replace("@", prefix), inner)
    lines = max(map(max, [piece["map"] for piece in case["pieces"]] + [[1]]))
    inner[prefix + "m"][0] = bytearray(lines + 1)
    inner[prefix + "i"](0, run.globals)
    if is_watched:
        watch(case, run, inner, prefix)
    pieces = case["pieces"]
    run.execute([piece["text"] for piece in pieces], [piece["map"] for piece in pieces])
    return run


def watch(case, run, inner, prefix):
    """Stops everywhere, and goes on at once."""
    flags = inner[prefix + "m"][0]
    for line in range(len(flags)):
        flags[line] = 2
    seen = []

    def stop(frame, why, error=None):
        if why != "b":
            return
        names = case["names"][frame.n]
        values = {}
        for number, name in enumerate(names):
            try:
                value = frame.g(number + 1)
            except NameError:
                continue
            if is_simple(value):
                values[name] = value
        visit(run, frame.g(0), values)
        # Writing a variable's own value changes nothing.
        if frame.v and values and len(seen) < 50:
            seen.append(0)
            own = [number for number, name in enumerate(names) if name in values and name in case["own"][frame.n]]
            for number in own:
                inner[prefix + "w"] = (number + 1, frame.g(number + 1))
                next(frame.v)

    inner[prefix + "s"] = stop


def differences(case, hooks):
    original = plain(case)
    for is_watched in (False, True):
        run = hooked(case, hooks, is_watched)
        for what in ("printed", "end"):
            if not is_same(getattr(original, what), getattr(run, what)):
                yield "%s differs%s: %r, %r; the ends: %r, %r" % (what, " when watched" * is_watched, getattr(original, what), getattr(run, what), original.end, run.end)
                return
    if HAS_TRACE:
        if set(original.visited) != set(run.visited):
            yield "visited %r, %r" % (original.visited, run.visited)
        for line in run.values:
            theirs, ours = original.values.get(line, {}), run.values[line]
            for name in ours:
                if name in theirs and theirs[name] != ours[name]:
                    yield "line %d: %s is %s, %s" % (line, name, theirs[name], ours[name])


def is_same(original, hooked):
    """Returns true if both ran alike.

    MicroPython gives a name alone, after `elif` or on a later line of its statement, the line of what stands before it
    (py/compile.c in 1.28, `compile_node`: leaves of the tree carry no line), and with hooks the name's own. That this one is
    right is what CPython says of the same programs.
    """
    if original == hooked or HAS_TRACE or not isinstance(original, tuple) or not isinstance(hooked, tuple):
        return original == hooked
    (kind, words, lines), (_, _, own) = original, hooked
    is_alike = kind == "NameError" and (kind, words) == hooked[:2] and len(lines) == len(own)
    return is_alike and all(before <= now for before, now in zip(lines, own))


def main(path, hooks):
    count = 0
    with open(path) as cases:
        for line in cases:
            case = json.loads(line)
            count += 1
            for difference in differences(case, hooks):
                print("seed", case["seed"], difference)
    print("checked", count)
