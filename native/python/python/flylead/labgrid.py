"""A driver of labgrid for boards with MicroPython.

In an environment file, with ``imports`` for the driver's name::

    targets:
      main:
        resources:
          MicroPythonBoard:
            address: /dev/ttyACM0
        drivers:
          MicroPythonDriver: {}
    imports:
      - flylead.labgrid
"""

from __future__ import annotations

import os
from typing import Any, Optional

import attr
from labgrid.driver import Driver
from labgrid.driver.commandmixin import CommandMixin
from labgrid.driver.consoleexpectmixin import ConsoleExpectMixin
from labgrid.factory import target_factory
from labgrid.protocol import CommandProtocol, ConsoleProtocol, FileTransferProtocol, ResetProtocol
from labgrid.resource import Resource
from labgrid.step import step
from pexpect import EOF, TIMEOUT

from .board import Board, Program
from .errors import BoardRaised, BoardTimeout, FlyleadError

__all__ = ["MicroPythonBoard", "MicroPythonDriver"]


@target_factory.reg_resource
@attr.s(eq=False)
class MicroPythonBoard(Resource):
    """A board, at an address of ``flylead.Board.connect``."""

    address: str = attr.ib(default="auto", validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class MicroPythonDriver(
    ConsoleExpectMixin,
    CommandMixin,
    Driver,
    ConsoleProtocol,
    CommandProtocol,
    FileTransferProtocol,
    ResetProtocol,
):
    """Commands are programs, the console is a running program's input and output, and a reset is a soft reset.

    A board does one thing at a time: commands, the copying of files and resets stop a program that ``start`` has
    started.
    """

    bindings = {"port": "MicroPythonBoard"}
    # labgrid's console requires these: seconds and bytes for lines that lose fast input. Our ``write`` waits by itself.
    txdelay = 0.0
    txchunk = 1
    _board: Optional[Board] = None
    _program: Optional[Program] = None
    _unread = b""

    def on_activate(self) -> None:
        self._board = Board.connect(self.port.address)

    def on_deactivate(self) -> None:
        board, self._board, self._program = self._board, None, None
        if board is not None:
            board.close()

    @property
    def board(self) -> Board:
        """The board, for requests that the protocols do not have."""
        if self._board is None:
            raise FlyleadError("this driver is not active; activate it with target.activate()")
        return self._board

    @Driver.check_active
    @step(args=["command"])
    def run(self, command: str, **how: Any) -> tuple[list[str], list[str], int]:
        """Runs a program; returns the lines of its output, those of its traceback, and 0 or 1.

        The program has ``timeout`` seconds, 30 by default.
        """
        return self._run(command, **how)

    def _run(
        self,
        command: str,
        timeout: float = 30.0,
        codec: str = "utf-8",
        decodeerrors: str = "strict",
    ) -> tuple[list[str], list[str], int]:
        self._stop()
        try:
            output = self.board.exec(command, timeout=timeout)
        except BoardRaised as raised:
            lines = raised.output.decode(codec, decodeerrors).splitlines()
            return lines, raised.traceback.splitlines(), 1
        return output.decode(codec, decodeerrors).splitlines(), [], 0

    def get_status(self) -> int:
        """1 while the driver is active."""
        return int(self._board is not None)

    @Driver.check_active
    @step(args=["filename", "remotepath"])
    def put(self, filename: str, remotepath: str) -> None:
        """Copies a file from this computer to the board."""
        self._stop()
        with open(filename, "rb") as file:
            self.board.files.write(remotepath, file.read())

    @Driver.check_active
    @step(args=["filename", "destination"])
    def get(self, filename: str, destination: str) -> None:
        """Copies a file from the board to this computer."""
        self._stop()
        part = f"{destination}.part"
        with open(part, "wb") as file:
            file.write(self.board.files.read(filename))
        os.replace(part, destination)

    @Driver.check_active
    @step()
    def reset(self, mode: Optional[str] = None) -> None:
        """Restarts the interpreter; there is no other ``mode`` than ``None`` and ``"soft"``."""
        if mode not in (None, "soft"):
            raise ValueError(f"a board cannot be reset by {mode!r}; leave the mode out for a soft reset")
        self._stop()
        self.board.soft_reset()

    @Driver.check_active
    def start(self, source: str) -> None:
        """Starts a program, whose input and output ``write``, ``read`` and ``expect`` use; the previous program is
        stopped."""
        self._stop()
        self._program = self.board.run(source)
        self._unread = b""

    def _stop(self) -> None:
        if self._program is not None:
            self._program.close()

    def _read(self, size: int = 1, timeout: float = 0.0, max_size: Optional[int] = None) -> bytes:
        """Returns the program's output, from 1 to ``size`` bytes; raises pexpect's errors for
        silence and for its end."""
        if not self._unread:
            try:
                self._unread = self._running()._next_within(timeout) or b""
            except BoardTimeout as silent:
                raise TIMEOUT(f"nothing came within {timeout} seconds") from silent
            if not self._unread:
                raise EOF("the program has ended")
        read, self._unread = self._unread[: max_size or size], self._unread[max_size or size :]
        return read

    def _write(self, data: bytes) -> int:
        self._running().send(data)
        return len(data)

    def _running(self) -> Program:
        if self._program is None:
            raise FlyleadError("no program runs; start one with start()")
        return self._program
