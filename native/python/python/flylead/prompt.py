"""Reading at a board's prompt, for both kinds of boards."""

from __future__ import annotations

import time

from .errors import BoardTimeout


class Until:
    """Output up to an end, within a time limit."""

    def __init__(self, end: bytes, timeout: float, came: bytes) -> None:
        if not isinstance(end, (bytes, bytearray)) or not end:
            raise TypeError(f"expected a non-empty bytes object to read until, not {end!r}")
        self._end = bytes(end)
        self._deadline = time.monotonic() + timeout
        self._came = came

    def add(self, came: bytes) -> None:
        self._came += came

    def is_there(self) -> bool:
        return self._end in self._came

    def left(self) -> float:
        """Returns the number of seconds left. Raises ``BoardTimeout`` when none are left, or
        when there was too much output."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise BoardTimeout(f"the board did not say {self._end!r} in that time", self._came)
        if len(self._came) > LONGEST:
            raise BoardTimeout(f"the board said {LONGEST} bytes without {self._end!r}", self._came)
        return left

    def split(self) -> tuple[bytes, bytes]:
        """Returns the output up to the end, and the output after it."""
        length = self._came.index(self._end) + len(self._end)
        return self._came[:length], self._came[length:]


LONGEST = 1024 * 1024
