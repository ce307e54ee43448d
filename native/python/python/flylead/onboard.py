"""Tests that run on a board: the programs that are sent there, and their results.

The runner is that of `flylead test`: it is sent to the board before the file, and each test is a separate program.
"""

from __future__ import annotations

import time
from typing import NamedTuple, Optional, Union

from ._flylead import Runner, TestFile
from .board import Board
from .errors import BoardExited, BoardRaised, BoardRestarted, BoardTimeout


class Name(NamedTuple):
    """A test in a file: a function, or a method of a class."""

    class_name: Optional[str]
    """Class; one within another as ``TestOuter.TestInner``."""
    function: str
    line: int
    call: str
    """Program that runs the test."""
    set_up: Optional[str]
    """Program that runs the `setUpClass` of its class."""
    tear_down: Optional[str]
    """Program that runs the `tearDownClass` of its class."""
    refusal: Optional[str]
    """Reason why no board can run the test."""
    marks: list[str]
    """Names of its marks, such as ``slow``."""


class Result(NamedTuple):
    """Result of a test."""

    kind: str
    """``ok``, ``fail``, ``skip``, ``xfail`` or ``xpass``."""
    seconds: float
    """Duration by the board's clock, or by ours if the board has none."""
    text: str
    """Traceback, or the reason for the skip."""
    output: str
    """Output of the test."""
    in_setup: bool = False
    """True if the setup failed, and the test did not run."""
    torn: str = ""
    """Tracebacks of the teardown."""


class OnBoard:
    """A test file in the interpreter of a board, ready to run its tests."""

    def __init__(
        self,
        board: Board,
        file: TestFile,
        timeout: Optional[float],
        reset: bool,
        sync: bool,
        rewrites: bool = True,
    ) -> None:
        """Sends the file; with ``reset`` to a fresh interpreter, and with ``sync`` after the modules that it imports.
        With ``rewrites``, its asserts report the values that they compared.

        Raises ``BoardRaised`` if the file itself raises an exception, ``FileError`` if the board does not accept a
        module, and ``OSError`` if a module cannot be read here.
        """
        self._board = board
        self._file = file
        self._timeout = timeout
        self.is_ready = True
        """True while the file's names exist: no longer after the interpreter has ended, or was full."""
        if reset:
            board.soft_reset()
        if sync:
            board._call(file.sync())
        probed = board.exec(file.probe, timeout).decode()
        self._runner = Runner(file, probed, rewrites)
        try:
            board.exec(self._runner.source, timeout)
            board.exec(self._runner.file, timeout)
        except BoardRaised as raised:
            raise BoardRaised(self._tidy(raised.traceback), raised.exception, raised.message) from raised

    def run(self, name: Name) -> Result:
        """Runs a test."""
        return self._call(name.call)

    def set_up_class(self, name: Name) -> Optional[Result]:
        """Runs the `setUpClass` of a test's class, if it has a class."""
        return self._call(name.set_up) if name.set_up else None

    def tear_down_class(self, name: Name) -> Optional[Result]:
        """Runs the `tearDownClass` of a test's class, if it has a class."""
        return self._call(name.tear_down) if name.tear_down else None

    def finish(self) -> Optional[Result]:
        """Tears down the fixtures of the file, if it may have any."""
        return self._call(self._file.finish) if self._file.finish else None

    def leave(self) -> None:
        """Releases the interpreter for others."""
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
        printed, seconds, parts, in_setup, torn = self._runner.read(output)
        if parts and kind in ("ok", "fail"):
            tidied = (f"subTest {words}\n{self._tidy(trace)}" for words, trace in parts)
            kind, text = "fail", "\n".join([*tidied, *filter(None, [text])])
        seconds = seconds or time.monotonic() - start
        return Result(kind, seconds, text, printed, in_setup, "\n".join(map(self._tidy, torn)))

    def _judged(self, raised: BoardRaised) -> tuple[str, str]:
        if raised.exception == "SkipTest":
            return "skip", raised.message
        if raised.exception == "_fl_Expected":
            return "xfail", self._runner.explain(raised.message)
        if raised.exception == "_fl_Passed":
            return "xpass", raised.message
        self.is_ready = raised.exception != "MemoryError"
        return "fail", self._tidy(raised.traceback)

    def _ended(self, error: Union[BoardTimeout, BoardExited, BoardRestarted]) -> str:
        if isinstance(error, BoardTimeout):
            return f"it exceeded its time limit of {self._timeout:g} s and was interrupted"
        self.is_ready = False
        if isinstance(error, BoardExited):
            return "it ended the interpreter"
        return "the board restarted during the test"

    def _tidy(self, traceback: str) -> str:
        return self._runner.tidy(traceback, self._file).rstrip()
