"""Boards, devices and Zylisp REPLs for asyncio: the same names as in ``flylead``, to be awaited.

>>> import asyncio
>>> from flylead import aio
>>> async def main():
...     async with aio.Board.connect(address) as board:
...         return await board.eval("6 * 7")
>>> asyncio.run(main())
42
"""

from __future__ import annotations

from .board import Board, Program, Repl
from .device import Device
from .files import Files
from .zylisp import Zylisp

__all__ = ["Board", "Device", "Files", "Program", "Repl", "Zylisp"]
