"""Boards that are processes, as ``exec:`` and ``execpty:`` of ``pyboard.py`` start them."""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import subprocess
from typing import Any, Union

from .errors import PyboardError


class ProcessToSerial:
    """A process whose stdin and stdout are used like a serial port."""

    def __init__(self, cmd: str) -> None:
        self.subp = _started(cmd, shell=True)

    def close(self) -> None:
        """Ends the process and all processes that it has started."""
        _end(self.subp)

    def read(self, size: int = 1) -> bytes:
        """Waits for ``size`` bytes; returns fewer at the end of the process."""
        data = b""
        assert self.subp.stdout is not None
        while len(data) < size:
            piece = self.subp.stdout.read(size - len(data))
            if not piece:
                break
            data += piece
        return data

    def write(self, data: bytes) -> int:
        assert self.subp.stdin is not None
        self.subp.stdin.write(data)
        return len(data)

    def inWaiting(self) -> int:
        """1 when there is something to read, else 0."""
        return _is_ready(self.subp.stdout)


class ProcessPtyToTerminal:
    """A process that prints the path of its pseudo-terminal in its first line, which is used like a serial port."""

    def __init__(self, cmd: str) -> None:
        import tty

        self.subp = _started(shlex.split(cmd), shell=False)
        self.path = _pty_of(self)
        self._terminal = os.open(self.path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._terminal)

    def close(self) -> None:
        """Ends the process and all processes that it has started."""
        os.close(self._terminal)
        _end(self.subp)

    def read(self, size: int = 1) -> bytes:
        """Waits for up to ``size`` bytes."""
        return os.read(self._terminal, size)

    def write(self, data: bytes) -> int:
        return os.write(self._terminal, data)

    def inWaiting(self) -> int:
        """1 when there is something to read, else 0."""
        return _is_ready(self._terminal)


class PtyProcess:
    """The process behind an ``execpty:`` device, whose terminal a ``Board`` opens."""

    def __init__(self, cmd: str) -> None:
        self.subp = _started(shlex.split(cmd), shell=False)
        self.path = _pty_of(self)

    def close(self) -> None:
        _end(self.subp)


def _started(cmd: Union[str, list[str]], shell: bool) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        cmd,
        bufsize=0,
        shell=shell,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if shell else subprocess.STDOUT,
    )


def _pty_of(owner: Union[ProcessPtyToTerminal, PtyProcess]) -> str:
    assert owner.subp.stdout is not None
    line = owner.subp.stdout.readline().decode(errors="replace")
    named = re.search(r"/dev/pts/[0-9]+|/dev/ttys[0-9]+", line)
    if named is None:
        _end(owner.subp)
        raise PyboardError(f"the process names no pseudo-terminal in its first line: {line.strip()!r}")
    return named.group()


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        # The process has ended by itself.
        pass
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _is_ready(file: Any) -> int:
    return len(select.select([file], [], [], 0)[0])
