"""Boards in IPython and Jupyter, after ``%load_ext flylead``.

::

    %board connect /dev/ttyACM0
    %%board -o value
    value = 6 * 7
    print("hello")
    %board close
"""

from __future__ import annotations

import codecs
import sys
from typing import Any, Optional

from .board import Board
from .errors import FlyleadError


class _Place:
    """The board of this notebook."""

    board: Optional[Board] = None


def load(shell: Any) -> None:
    """Adds the magics ``%board`` and ``%%board`` to an IPython shell."""
    place = _Place()

    def board(line: str, cell: Optional[str] = None) -> None:
        try:
            _control(place, line.split()) if cell is None else _run(place, shell, line.split(), cell)
        except (FlyleadError, ValueError) as error:
            print(error, file=sys.stderr)

    board.__doc__ = _HELP
    shell.register_magic_function(board, "line_cell", "board")


def _control(place: _Place, words: list[str]) -> None:
    if words[:1] == ["connect"] and len(words) <= 2:
        _close(place)
        place.board = Board.connect(words[1] if len(words) == 2 else "auto")
    elif words == ["close"]:
        _close(place)
    elif words == ["reset"]:
        _connected(place).soft_reset()
    else:
        raise ValueError(_HELP)


def _run(place: _Place, shell: Any, words: list[str], cell: str) -> None:
    names = words[1::2]
    if len(words) % 2 or any(option != "-o" for option in words[::2]):
        raise ValueError(_HELP)
    board = _connected(place)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    board.exec(cell, on_output=lambda piece: _show(decoder.decode(piece)))
    shell.push({name: board.eval(name) for name in names})


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _connected(place: _Place) -> Board:
    if place.board is None:
        raise ValueError("no board is connected: %board connect ADDRESS")
    return place.board


def _close(place: _Place) -> None:
    if place.board is not None:
        place.board.close()
    place.board = None


_HELP = """\
%board connect [ADDRESS]  opens a board; without an address, the only one on USB
%board reset              restarts its interpreter
%board close              gives it back
%%board [-o NAME]...      runs the cell on it with live output, and brings the values of names back"""
