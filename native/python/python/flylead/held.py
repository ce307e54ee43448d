"""Boards shared among the workers of one test run."""

from __future__ import annotations

import os
import tempfile
import time
from typing import IO


class Held:
    """Exclusive use of a board by this process, by the board's number, until ``release`` or the end of the process.

    The system releases the lock of a process that dies.
    """

    def __init__(self, number: int, file: IO[bytes]) -> None:
        self.number = number
        self._file = file

    @classmethod
    def first(cls, run: str, count: int, preferred: int) -> Held:
        """Waits for one of ``count`` boards of a test run, and tries the one with the ``preferred`` number first.

        Other workers hold boards while their tests run, which have time limits of their own.
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
        """Releases the board for others."""
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


# Time to wait before the next try, in seconds.
_AGAIN = 0.05
