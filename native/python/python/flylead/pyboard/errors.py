"""Errors and output of ``pyboard.py``."""

from __future__ import annotations

import errno
import sys
from typing import Callable

DataConsumer = Callable[[bytes], object]


class PyboardError(Exception):
    """Error as in ``pyboard.py``: ``("exception", stdout, traceback)`` for an exception on the
    board, one text otherwise."""

    def convert(self, info: str) -> Exception:
        """Returns the ``OSError`` for a missing file, or this error."""
        if len(self.args) >= 3 and b"OSError" in self.args[2] and b"ENOENT" in self.args[2]:
            return OSError(errno.ENOENT, info)
        return self


def stdout_write_bytes(b: bytes) -> None:
    """Writes a board's output to this program's stdout."""
    sys.stdout.buffer.write(b.replace(b"\x04", b""))
    sys.stdout.buffer.flush()
