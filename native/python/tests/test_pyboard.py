"""`flylead.pyboard` beside MicroPython's own `pyboard.py`, which lies in peers/."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flylead import Board, pyboard

HERE = Path(__file__).parent
FS_GET = """fs_get (None, b"print('from a file')\\n")"""


def used(module: str, address: str, folder: Path) -> str:
    command = [sys.executable, str(HERE / "uses.py"), module, address, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE / "peers") + os.pathsep + os.environ.get("PYTHONPATH", "")}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    print(module, ran.stderr)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("kind", ["address", "microbit"])
def test_a_script_gives_the_same_with_either(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    board = request.getfixturevalue(kind)
    with Board.connect(board) as fresh:
        # A micro:bit has no room for what earlier tests have defined.
        fresh.soft_reset()
    theirs = used("pyboard", board, tmp_path)
    ours = used("flylead.pyboard", board, tmp_path)
    # pyboard.py's fs_get wants lines that end as those of microcontrollers do, which those of the unix port do not.
    theirs = theirs.replace("fs_get raised AssertionError []", FS_GET)
    assert ours == theirs
    assert len(ours.splitlines()) > 20


def test_nothing_is_reset_unless_asked(address: str) -> None:
    board = pyboard.Pyboard(address)
    board.enter_raw_repl()
    board.exec("kept = 1")
    board.enter_raw_repl()
    assert board.eval("kept") == b"1"
    board.enter_raw_repl(soft_reset=True)
    with pytest.raises(pyboard.PyboardError) as raised:
        board.eval("kept")
    assert raised.value.args[0] == "exception" and b"NameError" in raised.value.args[2]
    board.close()


@pytest.mark.parametrize("kind", ["address", "microbit"])
def test_files_of_every_length_come_back(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    board = pyboard.Pyboard(request.getfixturevalue(kind))
    try:
        lengths(board, tmp_path)
        with pytest.raises(pyboard.PyboardError):
            board.fs_writefile("missing/f.bin" if kind == "address" else "f" * 200, b"x")
    finally:
        board.close()


def lengths(board: pyboard.Pyboard, tmp_path: Path) -> None:
    board.enter_raw_repl(soft_reset=True)
    told: list[tuple[int, int]] = []
    for length in (0, 1, 256, 257, 700):
        data = bytes(n % 256 for n in range(length))
        board.fs_writefile("f.bin", data)
        assert board.fs_readfile("f.bin") == data, length
        (tmp_path / "there").write_bytes(data)
        board.fs_put(tmp_path / "there", "f.bin", progress_callback=lambda *at: told.append(at))
        board.fs_get("f.bin", tmp_path / "back", progress_callback=lambda *at: told.append(at))
        assert (tmp_path / "back").read_bytes() == data, length
        assert told[-1] == (length, length)
    board.fs_rm("f.bin")
    # Old boards do not say which error it is.
    with pytest.raises((OSError, pyboard.PyboardError), match="f.bin|not found"):
        board.fs_readfile("f.bin")


def test_silence_past_the_timeout_is_an_error(address: str) -> None:
    board = pyboard.Pyboard(address)
    with pytest.raises(pyboard.PyboardError, match="timeout waiting for first EOF"):
        board.exec_("while True: pass", timeout=0.3)
    assert board.eval("1") == b"1"
    board.close()


def test_what_nobody_follows_ends_by_itself_or_is_stopped(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    board = pyboard.Pyboard(address)
    board.exec_raw_no_follow("print('dropped')\nleft = 1")
    assert board.eval("left") == b"1"
    board.exec_raw_no_follow("while True: pass")
    board.exit_raw_repl()
    board.enter_raw_repl()
    board.exec_raw_no_follow("while True: pass")
    monkeypatch.setattr(pyboard, "_PATIENCE", 0.2)
    with pytest.raises(pyboard.PyboardError, match="could not enter raw repl"):
        board.fs_listdir()
    assert board.eval("left") == b"1"
    board.close()


def test_a_port_that_is_not_there_cannot_be_accessed() -> None:
    with pytest.raises(pyboard.PyboardError, match="failed to access /dev/no-such-port"):
        pyboard.Pyboard("/dev/no-such-port")
