"""Runs 40 tests that sleep on one board and on two, with pytest-xdist, and measures the cost of a test that does
nothing.

    cargo build --release -p flylead-tests --bin board
    cd native/python && PYTHONPATH=tests python benches/xdist.py [SECONDS]

It requires the wheel, pytest and pytest-xdist in its environment, which `cargo xtask bench pytest` provides. The boards
are MicroPython's unix port behind pseudo-terminals; times are those of the whole command, including the start of
pytest.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest import started


def write(folder: Path, count: int, seconds: float) -> None:
    """Writes `count` tests in four files."""
    for letter in "abcd":
        tests = (f"def test_{n}(): time.sleep({seconds})\n" for n in range(count // 4))
        (folder / f"test_{letter}.py").write_text("# board: run\nimport time\n" + "".join(tests))


def took(folder: Path, count: int, *words: str) -> float:
    """Returns the seconds that pytest takes for the tests, which all pass."""
    start = time.perf_counter()
    # labgrid, which our own tests require, would take most of the start of every worker.
    without = ["-p", "no:cacheprovider", "-p", "no:labgrid"]
    command = [sys.executable, "-m", "pytest", "-q", *without, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert f"{count} passed" in done.stdout, done.stdout + done.stderr
    return time.perf_counter() - start


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
    print("without labgrid's own plugin for pytest, which costs every worker of pytest-xdist seconds: -p no:labgrid")
    with started("unix") as one, started("unix") as other, tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        write(folder, 40, seconds)
        alone = took(folder, 40, f"--board={one}")
        print(f"40 tests of {seconds} s on one board: {alone:.2f} s")
        for way in ("load", "loadfile"):
            words = [f"--board={one}", f"--board={other}", "-n", "2", "--dist", way]
            both = took(folder, 40, *words)
            print(f"on two boards, --dist {way}: {both:.2f} s, {both / alone:.2f} of one board's time")
        write(folder, 40, 0)
        few = min(took(folder, 40, f"--board={one}") for _ in range(3))
        write(folder, 440, 0)
        many = min(took(folder, 440, f"--board={one}") for _ in range(3))
        print(f"one test more: {(many - few) / 400 * 1000:.1f} ms")


if __name__ == "__main__":
    main()
