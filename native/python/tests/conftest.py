"""Real boards: MicroPython's unix port in its jail, and the micro:bit in QEMU, by the `board` program of the harness."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import flylead

PROGRAMS = Path(
    os.environ.get("FLYLEAD_PROGRAMS", Path(__file__).parents[3] / "target/debug")
)
pytest_plugins = ["pytester"]
# `test_like_pytest.py` runs them, on this computer and on a board.
collect_ignore = ["like_pytest"]
# Questions that other programs left open on a pty of the same number do not concern these devices.
_state = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _state.name


@contextmanager
def started(*words: str) -> Iterator[str]:
    """Starts a board for the length of the block, and yields its address."""
    command = [str(PROGRAMS / "board"), *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address, f"{command} started no board"
        yield address
    finally:
        process.stdin.close()
        process.wait(timeout=60)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A unix board for tests that leave it usable."""
    with started("unix") as address:
        yield address


@pytest.fixture(scope="session")
def microbit() -> Iterator[str]:
    with started("microbit") as address:
        yield address


@pytest.fixture
def board(address: str) -> Iterator[flylead.Board]:
    with flylead.Board.connect(address) as board:
        yield board


def run_python(source: str, *words: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs a program in another Python."""
    command = [sys.executable, "-c", source, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)
