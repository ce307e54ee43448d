"""Flylead beside mpremote's own class in one Python, on two unix boards: medians, the two interleaved.

    cargo build -p flylead-tests --bin board
    cd native/python && PYTHONPATH=tests python benches/beside_mpremote.py

It wants the wheel and mpremote in its environment.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Callable

from conftest import started
from mpremote.transport_serial import SerialTransport

import flylead


def compare(what: str, ours: Callable[[], object], theirs: Callable[[], object], times: int) -> None:
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for do, seconds in zip((ours, theirs), took):
            start = time.perf_counter()
            do()
            seconds.append(time.perf_counter() - start)
    mine, other = (statistics.median(seconds) * 1000 for seconds in took)
    print(f"{what:<16}{mine:>10.2f} ms{other:>10.2f} ms  {other / mine:>6.1f} times")


def main() -> None:
    data = os.urandom(256 * 1024)
    tree = {f"d/{n}": os.urandom(100) for n in range(100)}
    with started("unix") as one, started("unix") as other:
        board, mpremote = flylead.Board.connect(one), SerialTransport(other, 115200)
        mpremote.enter_raw_repl(soft_reset=False)
        mpremote.fs_mkdir("d")
        print(f"{'':<16}{'flylead':>13}{'mpremote':>13}")
        compare("one line", lambda: board.exec("print(1)"), lambda: mpremote.exec("print(1)"), 200)
        compare("256 KiB up", lambda: board.files.write("x", data), lambda: mpremote.fs_writefile("x", data), 3)
        compare("256 KiB down", lambda: board.files.read("x"), lambda: mpremote.fs_readfile("x"), 3)
        write = mpremote.fs_writefile
        compare("100 files", lambda: board.files.write_tree(tree), lambda: [write(*file) for file in tree.items()], 3)
        board.close()
        mpremote.close()


if __name__ == "__main__":
    main()
