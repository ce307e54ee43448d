"""Errors of a board, as exceptions with fields."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Optional


class Frame(NamedTuple):
    """One line of a board's call stack."""

    file: str
    """Name of the file; ``<stdin>`` for code that was sent as a program."""
    line: int
    """The line, from 1."""
    function: Optional[str]
    """The function, or ``<module>``; ``None`` for a syntax error."""


class FlyleadError(Exception):
    """The base of all errors of this package."""


class OpenError(FlyleadError):
    """The link to a board cannot be opened."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        """Reason: ``no-board``, ``several-boards``, ``busy``, ``forbidden``, ``not-found``,
        ``timed-out``, ``unauthorized`` and others."""


class LinkLost(FlyleadError):
    """The connection to the peer has ended; only a new connection helps."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        """``closed`` (unplugged, ended), ``not-entered`` (the board never reached its prompt), ``timed-out``, ``stuck``
        (the peer accepts nothing) or ``unreadable``."""

    def __str__(self) -> str:
        return f"{self.args[0]}; connect() again once the other side is back"


class CommandFailed(FlyleadError):
    """The ``flylead`` command ended with an error."""

    def __init__(self, message: str, code: int, output: str) -> None:
        super().__init__(message)
        self.code = code
        """Exit code."""
        self.output = output
        """Output of the command so far."""


class BoardClosed(FlyleadError):
    """The board, device or session was closed by this program, or belongs to another process."""


class BoardBusy(FlyleadError):
    """The board or device is not in a state for this request; nothing was sent."""


class BoardRaised(FlyleadError):
    """The program on the board raised an exception.

    >>> try:
    ...     board.exec("print('a')\\n1 / 0")
    ... except BoardRaised as error:
    ...     error.exception, error.message, error.output.strip(), error.frames[-1].line
    ('ZeroDivisionError', 'divide by zero', b'a', 2)
    """

    def __init__(
        self,
        traceback: str,
        exception: str = "",
        message: str = "",
        frames: list[tuple[str, int, Optional[str]]] = [],
        output: bytes = b"",
    ) -> None:
        super().__init__(traceback)
        self.traceback = traceback
        """Text as the board wrote it."""
        self.exception = exception
        """The exception's class, such as ``ZeroDivisionError``."""
        self.message = message
        """Text after the class; may be empty."""
        self.frames = [Frame(*frame) for frame in frames]
        """The call stack, outermost call first."""
        self.output = output
        """Output of the program so far, unless it was passed on as it arrived."""

    def __str__(self) -> str:
        return self.traceback.rstrip()


class _Ended(FlyleadError):
    """A program that did not run to its end."""

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message)
        self.output = output
        """Output of the program so far, unless it was passed on as it arrived."""


class BoardTimeout(_Ended):
    """The program exceeded its ``timeout`` and was interrupted."""

    def __str__(self) -> str:
        return f"{self.args[0]}; give it a longer timeout, or None for no limit"


class BoardExited(_Ended):
    """The program ended the interpreter with ``SystemExit``. The board has a fresh interpreter."""


class BoardRestarted(_Ended):
    """The board restarted in the middle of the program."""


class FileError(FlyleadError):
    """A request for a file failed.

    >>> try:
    ...     board.files.read("missing.txt")
    ... except FileError as error:
    ...     error.kind
    'not-found'
    """

    def __init__(self, message: str, kind: str = "", path: Optional[str] = None) -> None:
        super().__init__(message)
        self.kind = kind
        """``not-found``, ``exists``, ``is-directory``, ``not-directory``, ``not-empty``, ``no-space``, ``denied``,
        ``damaged``, ``no-memory``, ``stalled``, ``restarted``, ``raised`` and others."""
        self.path = path
        """Entry that caused the error, if it is one of many."""

    def __str__(self) -> str:
        advice = _ADVICE.get(self.kind)
        return f"{self.args[0]}; {advice}" if advice else str(self.args[0])


_ADVICE = {
    "not-found": "board.files.list() tells what is there",
    "exists": "choose another name, or remove it first",
    "is-directory": "name a file in it",
    "not-empty": "remove(path, tree=True) removes all that is in it",
    "no-space": "remove files, or see board.files.space()",
    "no-memory": "soft_reset() frees what earlier programs hold",
    "damaged": "try again, or at a lower baud rate",
    "stalled": "try again",
    "restarted": "try again",
}


class ExportError(FlyleadError):
    """A device refused a request, or there is no log that can be accepted as complete."""

    def __init__(
        self,
        message: str,
        kind: str = "",
        doubts: list[str] = [],
        kept: Optional[str] = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """``device-error`` (the device refused), ``no-header``, ``short-transfer``, ``trailing-data``,
        ``checksum-mismatch``, ``too-large``, ``device-reset``, ``disk`` and others."""
        self.doubts = doubts
        """Doubts that ``accept`` would have to name for the log to be accepted; empty if
        nothing helps."""
        self.kept = Path(kept) if kept is not None else None
        """File with the received part of the log, if any."""
        self.retryable = retryable
        """True if a retry may help without any other action."""

    def __str__(self) -> str:
        if not self.doubts:
            return str(self.args[0])
        return f"{self.args[0]}; accept={self.doubts} accepts the log anyway"


class Call(NamedTuple):
    """A function call of Zylisp that led to an error."""

    function: Optional[str]
    file: Optional[str]
    line: int
    """The line, from 1."""
    column: int
    """Byte within that line, from 1."""


class ZylispError(FlyleadError):
    """A Zylisp program failed.

    >>> try:
    ...     repl.eval("(car 5)")
    ... except ZylispError as error:
    ...     error.kind, error.trace[0].line
    ('type-error', 1)
    """

    def __init__(
        self,
        text: str,
        kind: str = "",
        message: str = "",
        trace: list[tuple[Optional[str], Optional[str], int, int]] = [],
        output: str = "",
    ) -> None:
        super().__init__(text)
        self.kind = kind
        """Kind of error, such as ``type-error``."""
        self.message = message
        """Message for people."""
        self.trace = [Call(*call) for call in trace]
        """Calls that led to the error, innermost first."""
        self.output = output
        """Output of the program so far, unless it was passed on as it arrived."""


class ZylispInterrupted(FlyleadError):
    """A Zylisp program was interrupted."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output
        """Output of the program so far, unless it was passed on as it arrived."""


class ZylispRefused(FlyleadError):
    """The server does not support the request; the message has the reason."""
