"""`flylead.pyboard` beside MicroPython's own `pyboard.py`, which lies in peers/."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flylead import Board, pyboard
from flylead.pyboard import board as pyboard_board

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
        # A micro:bit has no memory for the definitions of earlier tests.
        fresh.soft_reset()
    theirs = used("pyboard", board, tmp_path)
    ours = used("flylead.pyboard", board, tmp_path)
    # pyboard.py's fs_get requires lines that end as on microcontrollers, unlike those of the unix port.
    theirs = theirs.replace("fs_get raised AssertionError []", FS_GET)
    assert ours == theirs
    assert len(ours.splitlines()) > 20


@contextmanager
def opened(address: str) -> Iterator[pyboard.Pyboard]:
    board = pyboard.Pyboard(address)
    try:
        yield board
    finally:
        board.close()


def test_entering_restarts_the_interpreter_unless_told_not_to(address: str) -> None:
    with opened(address) as board:
        board.enter_raw_repl()
        board.exec("kept = 1")
        board.enter_raw_repl(soft_reset=False)
        assert board.eval("kept") == b"1"
        board.enter_raw_repl()
        with pytest.raises(pyboard.PyboardError) as raised:
            board.eval("kept")
        assert raised.value.args[0] == "exception" and b"NameError" in raised.value.args[2]


def as_hardware(address: str) -> str:
    """The unix board, which resets itself as microcontrollers do, even for pyboard.py."""
    return f"exec:exec {sys.executable} {HERE / 'hardware.py'} {address}"


def test_a_program_that_exits_gives_what_it_has_printed(address: str) -> None:
    with opened(as_hardware(address)) as board:
        board.enter_raw_repl()
        program = "import sys\nleft = 1\nprint('bye')\nsys.exit()"
        assert board.exec(program) in (b"bye\n", b"bye\r\n")
        # As after pyboard.py, whose scripts wait for the reset that this causes.
        assert board.read_until(1, b"raw REPL; CTRL-B to exit\r\n").endswith(b"CTRL-B to exit\r\n")
        board.exec_raw_no_follow(program)
        output, error = board.follow(10)
        assert (output.strip(), error) == (b"bye", b"")
        assert board.eval("'left' in globals()") == b"False"


def test_the_port_itself_has_output_errors_and_keys(address: str) -> None:
    with opened(address) as board:
        board.enter_raw_repl()
        board.exec_raw_no_follow("print('one')\nwhile True: pass")
        assert board.read_until(1, (b"\r\n", b"\n", b"\x04")).strip() == b"one"
        assert board.serial.inWaiting() == 0
        board.serial.write(b"\r\x03")
        output, error = board.follow(10)
        assert output.strip() == b"" and b"KeyboardInterrupt" in error
        board.exec_raw_no_follow("print(input())\n1/0")
        board.serial.write(b"typed\r\n")
        assert board.read_until(1, b"\x04").count(b"typed") >= 1
        assert board.read_until(1, b"\x04").rstrip(b"\x04\r\n").endswith(b"ZeroDivisionError: divide by zero")
        assert board.read_until(1, b">") == b">"
        board.serial.write(b"print(6 * 7)\x04")
        assert board.read_until(1, b">").split() == [b"OK42", b"\x04\x04>"]


def command(module: list[str], address: str, *words: str, folder: Path) -> tuple[int, str]:
    """Returns a command's exit code and output, without the places of frames: the program that ran is named
    differently."""
    # Unbuffered, because pyboard.py writes text and bytes to the same output.
    line = [sys.executable, "-u", *module, "--device", address, *words]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=120, cwd=folder)
    assert not ran.stderr, ran.stderr
    return ran.returncode, ran.stdout


COMMANDS = [
    ["-c", "print('before')\n1/0"],
    ["-c", "kept = 1"],
    ["--no-soft-reset", "-c", "print(kept)"],
    ["-c", "kept"],
    ["one.py", "two.py"],
    ["-f", "cp", "one.py", "two.py", ":"],
    ["-f", "cp", ":one.py", ":copy.py"],
    ["-f", "cat", "copy.py"],
    ["-f", "cp", ":missing.py", "here.py"],
    ["-f", "mkdir", "made"],
    ["-f", "touch", "made/file"],
    ["-f", "ls", "made"],
    ["-f", "rm", "made/file", "copy.py", "one.py", "two.py"],
    ["-f", "rmdir", "made"],
    ["-f", "format"],
    # Last, because the unix port misses keys while it restarts.
    ["-c", "import sys\nprint('bye')\nsys.exit()"],
]


def test_the_command_says_and_does_what_pyboard_py_does(address: str, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\nprint('one')\n")
    (tmp_path / "two.py").write_text("print('two', x)\n")
    board = as_hardware(address)
    ours = [command(["-m", "flylead.pyboard"], board, *words, folder=tmp_path) for words in COMMANDS]
    with Board.connect(address) as between:
        assert between.eval("1") == 1
    theirs = [command([str(HERE / "peers/pyboard.py")], board, *words, folder=tmp_path) for words in COMMANDS]
    assert ours == theirs


def test_a_program_that_nobody_follows_runs_on_after_the_command(address: str, tmp_path: Path) -> None:
    # A program longer than 128 bytes gets no Ctrl-C on the unix port.
    program = "import time\nopen('runs', 'w')\nwhile 1: time.sleep(0.01)\n"
    assert command(["-m", "flylead.pyboard"], address, "--no-follow", "-c", program, folder=tmp_path) == (0, "")
    with Board.connect(address) as board:
        board.repl.write("\x03")
        assert board.repl.read_until(b"KeyboardInterrupt", timeout=60)
        assert board.files.exists("runs")
        board.files.remove("runs")


def test_a_process_that_prints_its_terminal_is_a_board() -> None:
    program = Path(os.environ.get("FLYLEAD_PROGRAMS", HERE.parents[2] / "target/debug")) / "board"
    with opened(f"execpty:{program} unix") as board:
        board.enter_raw_repl()
        assert board.eval("6 * 7") == b"42"


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
    board.enter_raw_repl(soft_reset=False)
    board.exec_raw_no_follow("while True: pass")
    monkeypatch.setattr(pyboard_board, "_PATIENCE", 0.2)
    with pytest.raises(pyboard.PyboardError, match="could not enter raw repl"):
        board.fs_listdir()
    assert board.eval("left") == b"1"
    board.close()


def test_a_port_that_is_not_there_cannot_be_accessed() -> None:
    with pytest.raises(pyboard.PyboardError, match="failed to access /dev/no-such-port"):
        pyboard.Pyboard("/dev/no-such-port")
