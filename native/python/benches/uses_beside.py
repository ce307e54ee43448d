"""The script of twenty uses of pyboard.py, `tests/uses.py`, with pyboard.py and with flylead.pyboard: medians for each use.

pyboard.py checks a port for bytes every 10 ms, but waits for those of a pseudo-terminal (`read_until` and `is_pty` in
MicroPython v1.29, tools/pyboard.py). Boards are at ports, so it gets ours, which are at pseudo-terminals, under another
name, too.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from flylead import Board

SCRIPT = Path(__file__).parents[1] / "tests/uses.py"
ROUNDS = 3
Times = dict[str, float]


def compare(name: str, pty: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = os.path.join(folder, "ttyACM0")
        os.symlink(pty, port)
        ways = [("pyboard", port), ("pyboard", pty), ("flylead.pyboard", port)]
        rounds = [[used(module, address, folder) for module, address in ways] for _ in range(ROUNDS)]
    theirs, at_pty, ours = (medians(list(times)) for times in zip(*rounds))
    print(f"\n{name:<14}{'pyboard.py':>13}{'at a pty':>13}{'flylead':>13}")
    for use, milliseconds in ours.items():
        # Excludes uses without a request to the board: one reads what another one has fetched.
        if milliseconds > 0.1:
            figures = [f"{times:>10.2f} ms" for times in (theirs[use], at_pty[use], milliseconds)]
            print(f"{use:<14}{''.join(figures)}  {theirs[use] / milliseconds:.1f} times")


def used(module: str, address: str, folder: str) -> Times:
    """Returns the milliseconds of each use."""
    with Board.connect(address) as board:
        # A micro:bit has no memory for the definitions of the previous use.
        board.soft_reset()
    command = [sys.executable, str(SCRIPT), module, address, folder]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    lines = (line.rpartition(": ") for line in ran.stderr.splitlines() if line.endswith(" ms"))
    return {use: float(took.removesuffix(" ms")) for use, _, took in lines}


def medians(all: list[Times]) -> Times:
    return {use: statistics.median(times[use] for times in all) for use in all[0]}
