"""Compares Flylead with other Python tools in one process, each in turn on a unix board of its own; prints medians.

    cargo xtask bench python

It requires flylead, mpremote, pyserial and belay in its environment, `tests/peers` in PYTHONPATH, and the addresses of
six boards, the last of them a micro:bit. The Rust library runs in another process, which carries out each line of our
stdout and answers with the seconds that this took; so it has its turn among the others.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Any, Callable, Optional

import belay
import belay.pyboard
import pyboard
import uses_beside
from mpremote.transport_serial import SerialTransport

import flylead

Do = Callable[[], object]
NAMES = ("the library", "flylead", "mpremote", "pyboard.py", "belay")
SMALL_FILES = 100
ROUNDS = {"one line": 200, "256 KiB up": 3, "256 KiB down": 3, f"{SMALL_FILES} files": 15}


class Belay(belay.Device):  # type: ignore[misc]
    """The class's own method resets the board and waits for the raw REPL, which MicroPython's unix port then leaves."""

    def _connect_to_board(self, **how: Any) -> None:
        self._board = belay.pyboard.Pyboard(**how)
        self._board.enter_raw_repl(soft_reset=False)


class Contender:
    """One of the tools, and its action in each round."""

    def __init__(self, exec: Do, up: Optional[Do] = None, down: Optional[Do] = None, tree: Optional[Do] = None) -> None:
        self.work = dict(zip(ROUNDS, (exec, up, down, tree)))

    def seconds(self, what: str) -> Optional[float]:
        do = self.work[what]
        if do is None:
            return None
        start = time.perf_counter()
        do()
        return time.perf_counter() - start


class Library(Contender):
    """The Rust library, in a process of its own."""

    def __init__(self) -> None:
        pass

    def seconds(self, what: str) -> Optional[float]:
        print(f"library: {what}", flush=True)
        return float(sys.stdin.readline())


def contenders(addresses: list[str]) -> list[Contender]:
    data = os.urandom(256 * 1024)
    small = {f"d/{n}": os.urandom(100) for n in range(SMALL_FILES)}
    # Like that of the library in its own process.
    tree = {"d": None, **small}
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
        Library(),
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
            lambda: [transport.fs_writefile(*file) for file in small.items()],
        ),
        Contender(
            lambda: pyb.exec("print(1)"),
            lambda: pyb.fs_writefile("x", data),
            lambda: pyb.fs_readfile("x"),
            lambda: [pyb.fs_writefile(*file) for file in small.items()],
        ),
        # Its files are copied by a class like mpremote's; only the call is its own.
        Contender(lambda: device("1")),
    ]


def compare(what: str, all: list[Contender]) -> None:
    took: list[list[Optional[float]]] = []
    for _ in range(ROUNDS[what]):
        took.append([contender.seconds(what) for contender in all])
    medians = [_median(seconds) for seconds in zip(*took)]
    figures = [f"{value * 1000:>10.2f} ms" if value is not None else f"{'':>13}" for value in medians]
    library, ours, mpremote = medians[:3]
    assert library and ours and mpremote
    print(f"{what:<14}{''.join(figures)}  {ours / library:.2f} of the library, {mpremote / ours:.0f} times mpremote")


def _median(seconds: tuple[Optional[float], ...]) -> Optional[float]:
    there = [value for value in seconds if value is not None]
    return statistics.median(there) if there else None


def main() -> None:
    addresses = sys.argv[1:]
    all = contenders(addresses[:4])
    print(f"{'':<14}" + "".join(f"{name:>13}" for name in NAMES))
    for what in ROUNDS:
        compare(what, all)
    uses_beside.compare("the unix port", addresses[4])
    uses_beside.compare("the micro:bit", addresses[5])


if __name__ == "__main__":
    main()
