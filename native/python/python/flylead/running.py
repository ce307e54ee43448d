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
    """A program on a board, which its iteration gives the output of.

    Iteration ends with the program, and raises what ``Board.exec`` does. ``close`` stops it, and so does the end of a
    ``with`` block.
    """

    def __init__(self, job: Job, started: Started[Any]) -> None:
        self._job = job
        self._ended = False
        self._started = started
        self._reader = started.caller()
        """The thread or the task that the rest of the output is for: who started it, or has read it since."""

    def interrupt(self) -> None:
        """Presses Ctrl-C: the program raises ``KeyboardInterrupt``, which the iteration raises as ``BoardRaised``."""
        self._job.interrupt()

    def send(self, data: Content) -> None:
        """Types into the program's stdin. Raises ``BoardBusy`` when 64 such pieces wait already."""
        self._job.send(content(data))

    def close(self) -> None:
        """Stops the program, if it has not ended."""
        self._ended = True
        self._job.close()

    def _begin_to_read(self) -> None:
        """Raises ``BoardBusy`` when no output can come: another program is before this one, and the same caller's."""
        self._reader = self._started.caller()
        self._started.refuse_to_wait(self)

    def _output(self, message: Message) -> Optional[bytes]:
        """The output in a message, if it is some."""
        if message[0] == "output":
            return message[1]
        self._ended = message[0] == "done"
        return None


R = TypeVar("R", bound=Running)


class Started(Generic[R]):
    """The programs that were started on a board. Whoever leaves one unread and asks the board for more would wait for itself."""

    def __init__(self, caller: Callable[[], object]) -> None:
        self.caller = caller
        """Caller: a thread, or a task."""
        self._programs: list[weakref.ref[R]] = []
        self._told: set[object] = set()
        """Callers that wait for a request whose output or progress goes to functions of their
        own."""

    @contextmanager
    def telling(self) -> Iterator[None]:
        """While the caller waits for a request whose output or progress its own functions are told."""
        self._told.add(self.caller())
        try:
            yield
        finally:
            self._told.discard(self.caller())

    def add(self, program: R) -> R:
        """The one that was started last."""
        self._programs = [*filter(_is_open, self._programs), weakref.ref(program)]
        return program

    def last(self) -> Optional[R]:
        """The one that was started last, unless it is gone."""
        return self._programs[-1]() if self._programs else None

    def forget(self) -> None:
        """The board is closed, which ends all of them."""
        self._programs = []

    def refuse_to_wait(self, turn: Optional[Running] = None) -> None:
        """Raises ``BoardBusy`` when a program that is for the caller to read, started before ``turn``, has not ended; and in a
        function that is told of a request."""
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
