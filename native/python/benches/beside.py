"""Flylead beside what people use from Python today, in one process, each on a unix board of its own, in turn: medians.

    cargo xtask bench python

It wants flylead, mpremote, pyserial and belay in its environment, `tests/peers` in PYTHONPATH, and the addresses of four
boards; then the figures of the Rust library, as JSON.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from typing import Any, Callable, Optional

import belay
import belay.pyboard
import pyboard
from mpremote.transport_serial import SerialTransport

import flylead

Do = Callable[[], object]
NAMES = ("flylead", "mpremote", "pyboard.py", "belay")
SMALL_FILES = 100


class Belay(belay.Device):  # type: ignore[misc]
    """Its own resets the board and waits for the raw REPL, which MicroPython's unix port leaves then."""

    def _connect_to_board(self, **how: Any) -> None:
        self._board = belay.pyboard.Pyboard(**how)
        self._board.enter_raw_repl(soft_reset=False)


class Contender:
    """One of them, and what it does in each round."""

    def __init__(self, exec: Do, up: Optional[Do] = None, down: Optional[Do] = None, tree: Optional[Do] = None) -> None:
        self.work = {"one line": exec, "256 KiB up": up, "256 KiB down": down, f"{SMALL_FILES} files": tree}


def contenders(addresses: list[str]) -> list[Contender]:
    data = os.urandom(256 * 1024)
    tree = {f"d/{n}": os.urandom(100) for n in range(SMALL_FILES)}
    ours, theirs, script, other = addresses
    board = flylead.Board.connect(ours)
    transport = SerialTransport(theirs, 115200)
    transport.enter_raw_repl(soft_reset=False)
    transport.fs_mkdir("d")
    pyb = pyboard.Pyboard(script)
    pyb.enter_raw_repl(soft_reset=False)
    pyb.fs_mkdir("d")
    device = Belay(other, startup="", auto_sync_time=False)
    return [
        Contender(
            lambda: board.exec("print(1)"),
            lambda: board.files.write("x", data),
            lambda: board.files.read("x"),
            lambda: board.files.write_tree(tree),
        ),
        Contender(
            lambda: transport.exec("print(1)"),
            lambda: transport.fs_writefile("x", data),
            lambda: transport.fs_readfile("x"),
            lambda: [transport.fs_writefile(*file) for file in tree.items()],
        ),
        Contender(
            lambda: pyb.exec("print(1)"),
            lambda: pyb.fs_writefile("x", data),
            lambda: pyb.fs_readfile("x"),
            lambda: [pyb.fs_writefile(*file) for file in tree.items()],
        ),
        # Its files are copied by a class of mpremote's kind; its own is the call.
        Contender(lambda: device("1")),
    ]


def median(do: Do, seconds: list[float]) -> None:
    start = time.perf_counter()
    do()
    seconds.append(time.perf_counter() - start)


def compare(what: str, all: list[Contender], rounds: int, rust: Optional[float]) -> None:
    took: list[list[float]] = [[] for _ in all]
    for _ in range(rounds):
        for contender, seconds in zip(all, took):
            do = contender.work[what]
            if do is not None:
                median(do, seconds)
    millis = [statistics.median(seconds) * 1000 if seconds else None for seconds in took]
    figures = [f"{value:>10.2f} ms" if value is not None else f"{'':>13}" for value in [rust, *millis]]
    print(f"{what:<14}{''.join(figures)}")


def main() -> None:
    rust = json.loads(sys.argv[5]) if len(sys.argv) > 5 else {}
    all = contenders(sys.argv[1:5])
    print(f"{'':<14}{'the library':>13}" + "".join(f"{name:>13}" for name in NAMES))
    for what, rounds in zip(all[0].work, (200, 3, 3, 3)):
        compare(what, all, rounds, rust.get(what))


if __name__ == "__main__":
    main()
