"""MicroPython boards from Python.

>>> from flylead import Board
>>> with Board.connect(address) as board:
...     board.exec("print('hello')").strip()
...     board.eval("[6 * 7, 'x']")
b'hello'
[42, 'x']

Addresses are those of the ``flylead`` command: ``auto`` for the only board on USB, ``/dev/ttyACM0``, ``COM7``,
``id:SERIAL``, ``tcp://host:port``, ``ws://host``, ``rfc2217://host:port``, ``unix:/path``, ``process:command``.
"""

from typing import Any

from ._flylead import VERSION as __version__
from .board import Board, Files, Program, Repl
from .device import Device
from .errors import (
    BoardBusy,
    BoardClosed,
    BoardExited,
    BoardRaised,
    BoardRestarted,
    BoardTimeout,
    CommandFailed,
    ExportError,
    FileError,
    FlyleadError,
    Frame,
    LinkLost,
    OpenError,
    ZylispError,
    ZylispInterrupted,
    ZylispRefused,
)
from .saved import Saved
from .values import Entry, Port, Progress, Repr, Space, ports
from .zylisp import Zylisp

__all__ = [
    "Board",
    "BoardBusy",
    "BoardClosed",
    "BoardExited",
    "BoardRaised",
    "BoardRestarted",
    "BoardTimeout",
    "CommandFailed",
    "Device",
    "Entry",
    "ExportError",
    "FileError",
    "Files",
    "FlyleadError",
    "Frame",
    "LinkLost",
    "OpenError",
    "Port",
    "Program",
    "Progress",
    "Repl",
    "Repr",
    "Saved",
    "Space",
    "Zylisp",
    "ZylispError",
    "ZylispInterrupted",
    "ZylispRefused",
    "__version__",
    "ports",
]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext flylead``: the magics ``%board`` and ``%%board``."""
    from . import magics

    magics.load(shell)
