"""What a running program is for both kinds of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._flylead import Job
from .closing import Closing
from .requests import Content, content

if TYPE_CHECKING:
    from ._flylead import Message


class Running(Closing):
    """A program on a board, which its iteration gives the output of.

    Iteration ends with the program, and raises what ``Board.exec`` does. ``close`` stops it, and so does the end of a
    ``with`` block.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._ended = False

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

    def _output(self, message: Message) -> Optional[bytes]:
        """The output in a message, if it is some."""
        if message[0] == "output":
            return message[1]
        self._ended = message[0] == "done"
        return None
