"""Decorators for functions of a board, its objects by proxy, and the command from Python."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAMS

import flylead
from flylead import Board
from flylead.remote import in_globals


def test_tasks_use_what_the_setup_has_left_and_the_teardown_runs_at_the_end(address: str) -> None:
    with Board.connect(address) as board:

        @board.setup
        def prepare(start: int) -> None:
            import sys

            name, count = sys.implementation.name, start

        @board.task
        def step(by: int = 1) -> Any:
            global count
            count += by  # type: ignore[name-defined]
            return name, count  # type: ignore[name-defined]

        @board.teardown
        def end() -> None:
            """Runs when the board is closed."""
            with open("ended.txt", "w") as file:
                file.write(str(count))  # type: ignore[name-defined]

        assert prepare(5) is None
        assert step() == ("micropython", 6)
        assert step(by=4) == ("micropython", 10)
        assert step.__name__ == "step"
    with Board.connect(address) as board:
        assert board.files.read("ended.txt") == b"10"
        board.files.remove("ended.txt")


def test_a_teardown_that_raises_is_reported_and_the_board_is_closed(address: str) -> None:
    board = Board.connect(address)
    ran = []

    @board.teardown
    def first() -> None:
        open("first.txt", "w").close()

    @board.teardown
    def second() -> None:
        1 / 0

    with pytest.raises(flylead.BoardRaised, match="ZeroDivisionError"):
        board.close()
    with pytest.raises(flylead.BoardClosed):
        board.eval("1")
    board.close()
    with Board.connect(address) as board:
        ran.append(board.files.exists("first.txt"))
        board.files.remove("first.txt")
    assert ran == [True]


def test_a_thread_of_the_board_goes_on_beside_requests(board: Board) -> None:
    @board.thread
    def count(limit: int, step: int = 1) -> None:
        global counted
        counted = 0
        while counted < limit:
            counted += step

    count(1000, step=2)
    end = time.monotonic() + 60
    while board.eval("globals().get('counted', 0)") < 1000:
        assert time.monotonic() < end


def one_line(value: int) -> None: kept = value; other = "ä"  # fmt: skip


def nested(*values: int, **named: int) -> None:
    """Its loops and comprehensions."""
    squares = [value * value for value in values]
    for index, square in enumerate(squares):
        if square:
            last = index
    total = sum(squares) + named["more"]


def test_names_of_a_setup_become_global_ones_and_arguments_do_not(board: Board) -> None:
    board.soft_reset()
    board.exec(in_globals(one_line, (7,), {}))
    assert board.eval("(kept, other, 'value' in globals())") == (7, "ä", False)
    board.exec(in_globals(nested, (1, 2, 3), {"more": 1}))
    assert board.eval("(squares, last, total, 'values' in globals(), 'named' in globals())") == ([1, 4, 9], 2, 15, False, False)


def test_an_object_of_the_board_is_used_by_proxy(board: Board) -> None:
    board.exec("""
class Pin:
    def __init__(self): self.level, self.log, self.inner = 0, [], None
    def value(self, level=None):
        if level is not None: self.level = level
        return self.level
    def __getitem__(self, key): return key * 2
    def __len__(self): return 3
pin = Pin()
pin.inner = Pin()
""")
    pin = board.proxy("pin")
    assert pin.value(level=5) == 5 and pin.level == 5 and pin.value() == 5
    pin.inner.value(2)
    assert board.eval("pin.inner.level") == 2
    pin.level = b"x"
    assert board.eval("pin.level") == b"x"
    assert pin[21] == 42 and len(pin) == 3 and repr(pin) == "<Proxy pin>"
    with pytest.raises(flylead.BoardRaised, match="AttributeError"):
        pin.missing
    with pytest.raises(TypeError, match="cannot be sent"):
        pin.level = object()
    with pytest.raises(AttributeError):
        pin.__missing__


def test_the_command_is_python_m_flylead_and_uses_the_board_of_this_program(
    board: Board, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not (PROGRAMS / "flylead").exists():
        pytest.skip("this system has no flylead beside the harness")
    monkeypatch.setenv("PATH", str(PROGRAMS), prepend=":")
    ran = subprocess.run([sys.executable, "-m", "flylead", "--version"], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith("flylead "), ran.stderr
    ran = subprocess.run([sys.executable, "-m", "flylead", "nonsense"], capture_output=True, text=True)
    assert ran.returncode == 2 and "nonsense" in ran.stderr
    board.exec("x = 5")
    assert json.loads(board.command("info", "--json"))
    (tmp_path / "a.py").write_text("A = 1")
    board.command("fs", "cp", str(tmp_path / "a.py"), ":a.py")
    assert board.files.read("a.py") == b"A = 1" and board.eval("x") == 5
    board.files.remove("a.py")
    with pytest.raises(flylead.CommandFailed, match="ZeroDivisionError") as failed:
        board.command("exec", "print('so far')\n1 / 0")
    assert failed.value.code == 1 and failed.value.output == "so far\n"
    assert board.eval("6 * 7") == 42


def test_threads_share_the_decorated_functions(board: Board) -> None:
    @board.task
    def double(value: int) -> int:
        return value * 2

    found: dict[int, int] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: double(n)})) for n in range(8)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {n: n * 2 for n in range(8)}
