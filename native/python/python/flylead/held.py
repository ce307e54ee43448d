"""Boards that the workers of one test run share out among them."""

from __future__ import annotations

import os
import tempfile
import time
from typing import IO


class Held:
    """A board that this process has for itself, by its number, until ``release`` or the end of the process.

    The system gives up the lock of a process that dies.
    """

    def __init__(self, number: int, file: IO[bytes]) -> None:
        self.number = number
        self._file = file

    @classmethod
    def first(cls, run: str, count: int, preferred: int) -> Held:
        """Waits for one of ``count`` boards of a test run, and looks for that with the ``preferred`` number first.

        Others have them as long as their tests last, which have limits of their own.
        """
        while True:
            for step in range(count):
                number = (preferred + step) % count
                file = open(os.path.join(tempfile.gettempdir(), f"{run}-{number}.lock"), "ab")
                if _locked(file):
                    return cls(number, file)
                file.close()
            time.sleep(_AGAIN)

    def release(self) -> None:
        """Lets others have it."""
        self._file.close()


def _locked(file: IO[bytes]) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# How long to wait before looking again, in seconds.
_AGAIN = 0.05
