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

The driver also takes a ``RawSerialPort``, a ``USBSerialPort`` or a ``NetworkSerialPort``, as a ``RemotePlace`` has them. If
the target has a power driver, a board that does not answer is switched off and on.
"""

from __future__ import annotations

import os
import time
from typing import Any, Optional

import attr
from labgrid.driver import Driver
from labgrid.driver.commandmixin import CommandMixin
from labgrid.driver.consoleexpectmixin import ConsoleExpectMixin
from labgrid.exceptions import NoDriverFoundError
from labgrid.factory import target_factory
from labgrid.protocol import CommandProtocol, ConsoleProtocol, FileTransferProtocol, PowerProtocol, ResetProtocol
from labgrid.resource import Resource, SerialPort
from labgrid.step import step
from labgrid.util.proxy import proxymanager
from pexpect import EOF, TIMEOUT

from .board import Board, Program
from .errors import BoardRaised, BoardTimeout, FlyleadError, LinkLost, OpenError

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

    bindings = {"port": {"MicroPythonBoard", "SerialPort", "NetworkSerialPort"}}
    # labgrid's console requires these: seconds and bytes for lines that lose fast input. Our ``write`` waits by itself.
    txdelay = 0.0
    txchunk = 1
    _board: Optional[Board] = None
    _program: Optional[Program] = None
    _unread = b""

    def on_activate(self) -> None:
        self._board = self._connected()

    def _connected(self) -> Board:
        """Connects to the board. With a power driver, a board that does not answer is restarted once."""
        power = self._power()
        if power is None:
            return Board.connect(_address(self.port))
        try:
            return _answering(self.port)
        except (OpenError, LinkLost):
            return self._restarted(power)

    def _power(self) -> Any:
        # A binding would require the power driver to stand before this one in the environment.
        try:
            return self.target.get_driver(PowerProtocol)
        except NoDriverFoundError:
            return None

    def _restarted(self, power: Any) -> Board:
        """Switches the board off and on, and connects as soon as it answers."""
        power.cycle()
        end = time.monotonic() + _RETURNS
        while True:
            try:
                return _answering(self.port)
            except (OpenError, LinkLost):
                if time.monotonic() >= end:
                    raise
                time.sleep(0.5)

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
        """Restarts the interpreter, or with the ``mode`` ``"power"`` the whole board, by the power driver of the target."""
        if mode not in (None, "soft", "power"):
            raise ValueError(f"a board cannot be reset by {mode!r}; leave the mode out for a soft reset, or use 'power'")
        if mode != "power":
            self._stop()
            return self.board.soft_reset()
        power = self._power()
        if power is None:
            raise ValueError("this target has no power driver; add one, such as a NetworkPowerDriver")
        self.board.close()
        self._program = None
        self._board = self._restarted(power)

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


def _answering(port: Any) -> Board:
    board = Board.connect(_address(port))
    try:
        board.exec("", timeout=_ANSWERS)
    except FlyleadError:
        board.close()
        raise
    return board


def _address(port: Any) -> str:
    """Returns the address of a resource."""
    if isinstance(port, MicroPythonBoard):
        return port.address
    if isinstance(port, SerialPort):
        return f"serial:{port.port}?baud={port.speed}"
    host, number = proxymanager.get_host_and_port(port)
    host = f"[{host}]" if ":" in host else host
    if port.protocol == "raw":
        return f"tcp://{host}:{number}"
    return f"rfc2217://{host}:{number}?baud={port.speed}"


# Time for a board to answer, and to come back to its port after it was switched on, in seconds.
_ANSWERS = 10.0
_RETURNS = 30.0
