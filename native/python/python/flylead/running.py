"""Shared base of running programs for both kinds of boards."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar

from ._flylead import Job
from .closing import Closing
from .errors import BoardBusy
from .requests import Content, content

if TYPE_CHECKING:
    from ._flylead import Message


class Running(Closing):
    """A program on a board, whose output is the result of iteration.

    Iteration ends with the program, and raises the exceptions of ``Board.exec``. ``close`` stops the program, and so
    does the end of a ``with`` block.
    """

    def __init__(self, job: Job, started: Started[Any]) -> None:
        self._job = job
        self._ended = False
        self._started = started
        self._reader = started.caller()
        """Thread or task that reads the rest of the output: the one that started the program, or has read it since."""

    def interrupt(self) -> None:
        """Presses Ctrl-C: the program raises ``KeyboardInterrupt``, which iteration raises as ``BoardRaised``."""
        self._job.interrupt()

    def send(self, data: Content) -> None:
        """Types into the program's stdin. Raises ``BoardBusy`` if 64 such pieces are waiting already."""
        self._job.send(content(data))

    def close(self) -> None:
        """Stops the program, if it has not ended."""
        self._ended = True
        self._job.close()

    def _begin_to_read(self) -> None:
        """Raises ``BoardBusy`` if no output can arrive, because an earlier program of the same caller has to end
        first."""
        self._reader = self._started.caller()
        self._started.refuse_to_wait(self)

    def _output(self, message: Message) -> Optional[bytes]:
        """Returns the output in a message, if there is any."""
        if message[0] == "output":
            return message[1]
        self._ended = message[0] == "done"
        return None


R = TypeVar("R", bound=Running)


class Started(Generic[R]):
    """Programs started on a board. A caller that leaves one unread and makes another request would wait for itself."""

    def __init__(self, caller: Callable[[], object]) -> None:
        self.caller = caller
        """Caller: a thread, or a task."""
        self._programs: list[weakref.ref[R]] = []
        self._told: set[object] = set()
        """Callers that wait for a request whose output or progress goes to functions of their
        own."""

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Marks the caller as waiting for a request whose output or progress goes to functions of its own."""
        self._told.add(self.caller())
        try:
            yield
        finally:
            self._told.discard(self.caller())

    def add(self, program: R) -> R:
        """Adds a program as the one that was started last, and returns it."""
        self._programs = [*filter(_is_open, self._programs), weakref.ref(program)]
        return program

    def last(self) -> Optional[R]:
        """Returns the program that was started last, unless it is gone."""
        return self._programs[-1]() if self._programs else None

    def forget(self) -> None:
        """Forgets all programs, which end when the board is closed."""
        self._programs = []

    def refuse_to_wait(self, turn: Optional[Running] = None) -> None:
        """Raises ``BoardBusy`` if a program that the caller has to read, started before ``turn``, has not ended; and
        within a function to which a request reports."""
        if self._told and self.caller() in self._told:
            raise BoardBusy(_TOLD)
        for reference in self._programs:
            program = reference()
            if program is not None and program is turn:
                return
            if program is not None and not program._ended and program._reader == self.caller():
                raise BoardBusy(_UNREAD)


def _is_open(reference: weakref.ref[R]) -> bool:
    program = reference()
    return program is not None and not program._ended


_TOLD = "a function that is told of output or progress cannot ask the same board; ask when the request has ended"
_UNREAD = (
    "a program that you have started with run() has the board, and its output is not read to its end; "
    "read the rest, or close() it, before you ask for more; another thread or task that is to read it starts it itself"
)
