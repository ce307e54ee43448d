"""Tests that run on a board: what goes there, and what comes back.

The runner is that of `flylead test`: it goes to the board before the file, and each test is a program of its own.
"""

from __future__ import annotations

import ast
import time
from typing import NamedTuple, Optional, Union

from ._flylead import Runner
from .board import Board
from .errors import BoardExited, BoardRaised, BoardRestarted, BoardTimeout


class Name(NamedTuple):
    """A test in a file: a function, or a method of a ``unittest.TestCase``."""

    class_name: Optional[str]
    function: str
    line: int

    def __str__(self) -> str:
        return f"{self.class_name}.{self.function}" if self.class_name else self.function


class Result(NamedTuple):
    """How a test ended."""

    kind: str
    """``ok``, ``fail``, ``skip`` or ``xfail``."""
    seconds: float
    """By the board's clock, or by ours where the board has none."""
    text: str
    """The traceback, or why it was skipped."""
    output: str
    """What the test printed."""


def names_in(source: bytes, file: str) -> list[Name]:
    """The tests of a file: functions `test*`, and those of its `unittest.TestCase` classes, inherited ones included.

    >>> [str(name) for name in names_in(b"def test_a(): pass\\nclass T(TestCase):\\n  def test_b(self): pass", "t.py")]
    ['test_a', 'T.test_b']
    """
    found: list[Name] = []
    cases: dict[str, list[Name]] = {}
    for node in ast.parse(source, file).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            found.append(Name(None, node.name, node.lineno))
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
            if any(base.endswith("TestCase") or base in cases for base in bases):
                inherited = [test for base in bases for test in cases.get(base, [])]
                cases[node.name] = _methods(node, inherited)
                found.extend(cases[node.name])
    return found


def _methods(node: ast.ClassDef, inherited: list[Name]) -> list[Name]:
    methods = (item for item in node.body if isinstance(item, ast.FunctionDef))
    own = [Name(node.name, m.name, m.lineno) for m in methods if m.name.startswith("test")]
    names = [name.function for name in own]
    above = [Name(node.name, n.function, n.line) for n in inherited if n.function not in names]
    return above + own


class OnBoard:
    """A test file in the interpreter of a board, ready to run its tests."""

    def __init__(
        self, board: Board, source: bytes, file: str, timeout: Optional[float], reset: bool
    ) -> None:
        """Sends the file; with ``reset`` to a fresh interpreter.

        Raises ``BoardRaised`` when the file itself raises.
        """
        self._board = board
        self._file = file
        self._timeout = timeout
        self.is_ready = True
        """Whether the file's names are still there: not after the interpreter has ended, or was full."""
        if reset:
            board.soft_reset()
        text = source.decode()
        probed = None
        if "unittest" in text or any(name.class_name for name in names_in(source, file)):
            probed = board.exec(Runner.PROBE, timeout).decode()
        self._runner = Runner(text, probed)
        try:
            board.exec(self._runner.source, timeout)
            board.exec(source, timeout)
        except BoardRaised as raised:
            raise BoardRaised(self._runner.tidy(raised.traceback, file)) from raised

    def run(self, name: Name) -> Result:
        """Runs a test."""
        return self._call(Runner.call(name.class_name, name.function))

    def set_up_class(self, class_name: str) -> Result:
        """Runs a class's `setUpClass`, if it has one."""
        return self._call(Runner.set_up_class(class_name))

    def tear_down_class(self, class_name: str) -> Result:
        """Runs a class's `tearDownClass`, if it has one."""
        return self._call(Runner.tear_down_class(class_name))

    def leave(self) -> None:
        """Lets others have the interpreter."""
        self._board.exec(Runner.LEAVE, self._timeout)

    def _call(self, source: str) -> Result:
        start = time.monotonic()
        kind, text = "ok", ""
        try:
            output = self._board.exec(source, self._timeout)
        except BoardRaised as raised:
            output = raised.output
            kind, text = self._judged(raised)
        except (BoardTimeout, BoardExited, BoardRestarted) as ended:
            output = ended.output
            kind, text = "fail", self._ended(ended)
        printed, seconds, parts = self._runner.read(output)
        if parts and kind in ("ok", "fail"):
            tidied = (f"subTest {words}\n{self._tidy(trace)}" for words, trace in parts)
            kind, text = "fail", "\n".join([*tidied, *filter(None, [text])])
        return Result(kind, seconds or time.monotonic() - start, text, printed)

    def _judged(self, raised: BoardRaised) -> tuple[str, str]:
        if raised.exception == "SkipTest":
            return "skip", raised.message
        if raised.exception == "_fl_Expected":
            return "xfail", raised.message
        self.is_ready = raised.exception != "MemoryError"
        return "fail", self._tidy(raised.traceback)

    def _ended(self, error: Union[BoardTimeout, BoardExited, BoardRestarted]) -> str:
        if isinstance(error, BoardTimeout):
            return f"it ran past its time of {self._timeout:g} s and was interrupted"
        self.is_ready = False
        if isinstance(error, BoardExited):
            return "it ended the interpreter"
        return "the board restarted in the middle of it"

    def _tidy(self, traceback: str) -> str:
        return self._runner.tidy(traceback, self._file).rstrip()
