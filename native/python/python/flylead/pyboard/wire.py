"""``Pyboard.serial``: the raw REPL as bytes, for scripts that read and write the port themselves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Optional

from ..errors import BoardExited, BoardRaised, BoardTimeout
from ..requests import Content, content
from .errors import DataConsumer

if TYPE_CHECKING:
    from .board import Pyboard

END = b"\x04"
# What the board writes after a program: the end of its traceback, and its prompt.
PROMPT = b">"
BANNER = b"raw REPL; CTRL-B to exit\r\n"
# A SystemExit makes the board reset itself, and it stays in the raw REPL.
EXITED = b"\r\nMPY: soft reboot\r\n" + BANNER + PROMPT


class Wire:
    """Calls that ``pyboard.py`` scripts make on ``Pyboard.serial``.

    A program that ``exec_raw_no_follow`` has started gets the written bytes, Ctrl-C included; its output, the output's
    end (``\\x04``), its traceback and its end arrive as the board writes them. Without a program, Ctrl-A to Ctrl-D are
    those of the raw REPL.
    """

    def __init__(self, pyb: Pyboard) -> None:
        self._pyb = pyb
        self._came = bytearray()
        self._typed = bytearray()
        self.is_read = False
        """True if a part of the program's output was read here, so that the rest has to be read here, too."""

    def begin(self) -> None:
        """Notes the start of a program: unread output of the previous one is dropped."""
        self._came.clear()
        self.is_read = False

    def put(self, data: bytes) -> None:
        """Replaces the unread output by ``data``, which is the rest of the previous program's."""
        self._came[:] = data

    @property
    def in_waiting(self) -> int:
        """Number of bytes that can be read without waiting."""
        if not self._came:
            self._hear(0)
        return len(self._came)

    def inWaiting(self) -> int:
        """Like ``in_waiting``."""
        return self.in_waiting

    def read(self, size: int = 1) -> bytes:
        """Waits for ``size`` bytes; returns fewer if no more can arrive."""
        while len(self._came) < size and self._hear(None):
            pass
        return self._take(size)

    def read_until(
        self,
        endings: tuple[bytes, ...],
        timeout: Optional[float],
        timeout_overall: Optional[float],
        data_consumer: Optional[DataConsumer] = None,
    ) -> bytes:
        """Reads up to one of ``endings``, or until nothing arrives for ``timeout`` seconds.

        If given, ``data_consumer`` gets each byte, and only the last one is returned.
        """
        data = bytearray()
        deadline = None if timeout_overall is None else time.monotonic() + timeout_overall
        while not data.endswith(endings):
            if not self._came:
                left = None if deadline is None else max(deadline - time.monotonic(), 0)
                limits = [limit for limit in (timeout, left) if limit is not None]
                if not self._hear(min(limits) if limits else None):
                    break
            byte = self._take(1)
            if data_consumer is not None:
                data_consumer(byte)
                data.clear()
            data += byte
        return bytes(data)

    def write(self, data: Content) -> int:
        """Types at the board."""
        keys = content(data)
        if self._pyb._program is None and not self._pyb.in_raw_repl and b"\x01" not in keys:
            self._pyb._board.repl.write(keys)
            return len(keys)
        for key in keys:
            self._press(bytes([key]))
        return len(keys)

    def flush(self) -> None:
        """Does nothing: written bytes have already been sent."""

    def close(self) -> None:
        """Closes the board."""
        self._pyb.close()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._came[:size])
        del self._came[:size]
        return taken

    def _hear(self, timeout: Optional[float]) -> bool:
        """Waits for more within ``timeout`` seconds; returns ``False`` if nothing arrived, or can arrive."""
        self.is_read = True
        program = self._pyb._program
        if program is None:
            if self._pyb.in_raw_repl:
                return False
            self._came += self._pyb._board.repl.read(3600 if timeout is None else timeout)
            return bool(self._came)
        try:
            piece = program._next_within(timeout)
        except BoardTimeout:
            return False
        except BoardRaised as raised:
            self._end(END + as_written(raised) + END + PROMPT)
        except BoardExited:
            self._end(END + END + EXITED)
        else:
            if piece is None:
                self._end(END + END + PROMPT)
            else:
                self._came += piece
        return True

    def _end(self, rest: bytes) -> None:
        self._pyb._program = None
        self._came += rest

    def _press(self, key: bytes) -> None:
        program = self._pyb._program
        if program is not None:
            program.interrupt() if key == b"\x03" else program.send(key)
        elif key == b"\x01":
            self._pyb.in_raw_repl = True
            self._typed.clear()
            self._came += BANNER + PROMPT
        elif key == b"\x02":
            self._pyb.exit_raw_repl()
        elif key == b"\x03":
            self._typed.clear()
        elif key != END:
            self._typed += key
        elif self._typed.strip():
            source = bytes(self._typed)
            self._typed.clear()
            self._pyb.exec_raw_no_follow(source)
            self.put(b"OK")
        else:
            self._typed.clear()
            self._pyb.enter_raw_repl(soft_reset=True)
            self.put(b"OK" + EXITED)


def as_written(raised: BoardRaised) -> bytes:
    """Returns a traceback as the board writes it."""
    return raised.traceback.replace("\n", "\r\n").encode()
