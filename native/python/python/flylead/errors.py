"""What can go wrong with a board, as exceptions with fields."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Frame(NamedTuple):
    """One line of a board's call stack."""

    file: str
    """The file's name; ``<stdin>`` for what was sent as a program."""
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
        """Why: ``no-board``, ``several-boards``, ``busy``, ``forbidden``, ``not-found``, ``timed-out`` and others."""


class LinkLost(FlyleadError):
    """The conversation with the board is over; only a new connection helps."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        """``closed`` (unplugged, ended), ``not-entered`` (it never reached its prompt) or ``timed-out``."""

    def __str__(self) -> str:
        return f"{self.args[0]}; connect again with Board.connect() once the board is back"


class BoardClosed(FlyleadError):
    """The board was closed by this program, or belongs to another process."""


class BoardBusy(FlyleadError):
    """The board is not in a state for this; nothing was sent."""


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
        """The text as the board wrote it."""
        self.exception = exception
        """The exception's class, such as ``ZeroDivisionError``."""
        self.message = message
        """What follows the class; empty when nothing does."""
        self.frames = [Frame(*frame) for frame in frames]
        """The call stack, outermost call first."""
        self.output = output
        """What the program had printed, where that was not handed out as it came."""

    def __str__(self) -> str:
        return self.traceback.rstrip()


class _Ended(FlyleadError):
    """A program that did not get to its end."""

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message)
        self.output = output
        """What the program had printed, where that was not handed out as it came."""


class BoardTimeout(_Ended):
    """The program ran past its ``timeout`` and was interrupted."""

    def __str__(self) -> str:
        return f"{self.args[0]}; give it a longer timeout, or None for no limit"


class BoardExited(_Ended):
    """The program ended the interpreter: it raised ``SystemExit``. The board has a fresh one."""


class BoardRestarted(_Ended):
    """The board restarted in the middle of the program."""


class FileError(FlyleadError):
    """The board did not do what was asked of a file.

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
        """The entry that is to blame, where one of many is."""

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
