"""`flylead.Board` and real boards."""

from __future__ import annotations

import array
import doctest
import importlib
import os
import subprocess
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

import pytest
from conftest import PROGRAMS, run_python, started

import flylead
from flylead import Board, BoardRaised, FileError, Progress, Zylisp, pyboard
from flylead.pyboard.wire import Wire


def test_a_program_gives_its_output_and_an_expression_its_value(board: Board) -> None:
    assert board.exec("x = 6 * 7\nprint(x)").strip() == b"42"
    assert board.eval("x") == 42
    assert board.eval("[(1,), {'a': b'\\xff'}, {2}, None, True, 1.5, 'ä']") == [
        (1,),
        {"a": b"\xff"},
        {2},
        None,
        True,
        1.5,
        "ä",
    ]
    module = board.eval("__import__('sys')")
    assert isinstance(module, flylead.Repr) and str(module) == "<module 'sys'>"


def test_an_exception_of_the_board_has_its_parts(board: Board) -> None:
    with pytest.raises(BoardRaised) as raised:
        board.exec("def f():\n  raise OSError(2)\nprint('before')\nf()")
    error = raised.value
    assert (error.exception, error.output.strip()) == ("OSError", b"before")
    assert [(frame.file, frame.line) for frame in error.frames] == [("<stdin>", 4), ("<stdin>", 2)]
    assert str(error).startswith("Traceback (most recent call last):")
    assert board.eval("1") == 1


def test_a_program_past_its_time_is_stopped(board: Board) -> None:
    with pytest.raises(flylead.BoardTimeout, match="longer timeout"):
        board.exec("while True: pass", timeout=0.2)
    with pytest.raises(ValueError, match="not a valid time"):
        board.exec("pass", timeout=-1)
    assert board.eval("2") == 2


def test_output_comes_while_the_program_runs_and_input_goes_in(board: Board) -> None:
    program = board.run("print('name?')\nname = input()\nprint('hello', name)")
    said = next(program)
    program.send("you\r\n")
    said += b"".join(program)
    assert said.startswith(b"name?") and said.rstrip().endswith(b"hello you")
    with pytest.raises(StopIteration):
        next(program)


def test_an_interrupted_program_raises_on_the_board(board: Board) -> None:
    program = board.run("print('on')\nwhile True: pass")
    assert next(program).startswith(b"on")
    board.interrupt()
    with pytest.raises(BoardRaised) as raised:
        list(program)
    assert raised.value.exception == "KeyboardInterrupt"


def test_a_program_that_nobody_reads_any_more_is_stopped(board: Board) -> None:
    with board.run("while True: print('x' * 99)") as program:
        next(program)
    assert board.eval("3") == 3
    next(board.run("while True: print('y')"))
    assert board.eval("4") == 4


def test_a_soft_reset_forgets_and_connecting_does_not(address: str) -> None:
    with Board.connect(address) as board:
        board.exec("kept = 1")
    with Board.connect(address) as board:
        assert board.eval("kept") == 1
        board.soft_reset()
        with pytest.raises(BoardRaised, match="NameError"):
            board.eval("kept")


def test_the_prompt_takes_keys_and_says_what_it_says(board: Board) -> None:
    board.exec("kept = 6")
    board.repl.write("kept * 7\r")
    assert b"kept * 7" in board.repl.read_until(b"42", timeout=60)
    board.repl.write(b"while True: pass\r\r")
    board.repl.read_until(b"pass", timeout=60)
    board.repl.write(b"\x03")
    board.repl.read_until(b"KeyboardInterrupt", timeout=60)
    board.repl.read_until(b">>> ", timeout=60)
    assert board.repl.read(timeout=0.05) == b""
    assert board.eval("kept") == 6
    with pytest.raises(flylead.BoardTimeout, match="did not say b'43'"):
        board.repl.read_until(b"43", timeout=0.05)
    assert board.eval("kept") == 6


def test_files_come_back_as_they_went(board: Board, tmp_path: Path) -> None:
    data = os.urandom(50_000)
    told: list[Progress] = []
    board.files.write("data.bin", data, told.append)
    assert told and told[-1].done <= told[-1].total == len(data)
    assert board.files.read("data.bin") == data
    board.files.append("data.bin", b"end")
    assert board.files.stat("data.bin").size == len(data) + 3
    board.files.rename("data.bin", "other.bin")
    assert not board.files.exists("data.bin") and board.files.exists("other.bin")
    board.files.make_directory("a/b", parents=True)
    board.files.touch("a/b/empty")
    assert [entry.name for entry in board.files.tree("a")] == ["b", "b/empty"]
    board.files.remove("a", tree=True)
    assert board.files.space().total > 0
    board.files.remove("other.bin")


@pytest.mark.parametrize("data", [5, 0, True, None, 1.5, [1, 2], (1,), {3}, range(4), object()])
def test_only_text_and_bytes_are_content(board: Board, data: object, address: str) -> None:
    wrong: Any = data
    board.files.write("kept.txt", "kept")
    asked: list[Callable[[], object]] = [
        lambda: board.files.write("kept.txt", wrong),
        lambda: board.files.append("kept.txt", wrong),
        lambda: board.exec(wrong),
        lambda: board.run(wrong),
        lambda: board.repl.write(wrong),
        lambda: board.repl.read_until(wrong),
        lambda: pyboard.Pyboard.fs_writefile(board_of(board), "kept.txt", wrong),
        lambda: pyboard.Pyboard.exec_(board_of(board), wrong),
    ]
    if data is not None:
        # None is a directory.
        asked.append(lambda: board.files.write_tree({"kept.txt": wrong}))
    for ask in asked:
        with pytest.raises(TypeError, match="bytes"):
            ask()
    assert board.files.read("kept.txt") == b"kept"
    board.files.remove("kept.txt")


def board_of(board: Board) -> pyboard.Pyboard:
    """Wraps the board for users of pyboard.py."""
    pyb = pyboard.Pyboard.__new__(pyboard.Pyboard)
    pyb._board, pyb._program, pyb.serial = board, None, Wire(pyb)
    return pyb


def test_all_that_holds_bytes_is_content(board: Board) -> None:
    for data in (bytearray(b"ab"), memoryview(b"xabx")[1:3], array.array("B", b"ab"), "ab"):
        board.files.write("data.bin", data)
        assert board.files.read("data.bin") == b"ab"
    board.files.remove("data.bin")


def test_infinite_numbers_are_numbers(board: Board) -> None:
    values = board.eval("[1, float('inf'), -float('inf'), (-1, -2.5), -float('nan')]")
    assert values[:4] == [1, float("inf"), -float("inf"), (-1, -2.5)] and values[4] != values[4]


def test_a_file_that_is_missing_is_an_error_of_its_kind(board: Board) -> None:
    with pytest.raises(FileError, match="files.list") as raised:
        board.files.read("nowhere/file")
    assert raised.value.kind == "not-found"
    with pytest.raises(FileError) as raised:
        board.files.make_directory("tests_d")
        board.files.make_directory("tests_d")
    assert raised.value.kind == "exists"
    board.files.remove("tests_d")


def test_sync_sends_what_differs_and_removes_what_is_gone(board: Board, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/a.py").write_text("A = 1")
    (tmp_path / "b.py").write_text("B = 1")
    (tmp_path / "key.pem").write_text("no")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "out.py").symlink_to("/etc/hostname")
    first = board.files.sync(tmp_path, "app")
    assert sorted(first.written) == ["app/b.py", "app/lib", "app/lib/a.py"]
    (tmp_path / "b.py").unlink()
    (tmp_path / "lib/a.py").write_text("A = 2")
    second = board.files.sync(tmp_path, "app", delete=True)
    assert (second.written, second.removed, second.unchanged) == (["app/lib/a.py"], ["app/b.py"], 1)
    assert board.files.read("app/lib/a.py") == b"A = 2"
    board.files.remove("app", tree=True)


def test_a_closed_board_and_a_wrong_address_say_so(address: str) -> None:
    board = Board.connect(address)
    board.close()
    board.close()
    with pytest.raises(flylead.BoardClosed, match="connect"):
        board.eval("1")
    with pytest.raises(flylead.OpenError) as raised:
        Board.connect("/dev/no-such-port")
    assert raised.value.kind == "not-found"
    with pytest.raises(ValueError):
        Board.connect("tcp://")


def test_a_limit_holds_for_the_turn_at_a_board_that_others_have(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A path that only this test uses, and a short one, as the paths of sockets have to be.
    runtime = tempfile.TemporaryDirectory()
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime.name)
    words = ["-p", address, "serve", "--json", "--board", "--rfc2217=0", "--listen=127.0.0.1:0"]
    served = subprocess.Popen([str(PROGRAMS / "flylead"), *words], stdout=subprocess.PIPE)
    try:
        assert served.stdout is not None
        first = served.stdout.readline()
        assert first, "serve has ended"
        with Board.connect(address, timeout=60) as board, board.turn():
            board.eval("1")
            start = time.monotonic()
            with pytest.raises(flylead.OpenError) as raised:
                Board.connect(address, timeout=0.5)
            assert time.monotonic() - start < 8, "the default is ten seconds"
            assert f"({os.getpid()})" in str(raised.value), raised.value
    finally:
        served.terminate()
        served.wait(timeout=30)
        runtime.cleanup()


def test_a_board_that_goes_away_is_lost() -> None:
    with started("unix") as address:
        board = Board.connect(address)
        assert board.eval("1") == 1
    with pytest.raises((flylead.LinkLost, flylead.BoardClosed), match="connect"):
        board.exec("print(1)")
    board.close()


def test_what_a_script_leaves_running_is_stopped_at_its_end(address: str) -> None:
    script = (
        "import sys, flylead; board = flylead.Board.connect(sys.argv[1]);"
        "next(board.run('while True: print(1)'))"
    )
    ended = run_python(script, address)
    assert (ended.returncode, ended.stderr) == (0, "")
    with Board.connect(address) as board:
        assert board.eval("5") == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_is_told_to_connect_again(address: str) -> None:
    script = """
import os, sys, flylead
board = flylead.Board.connect(sys.argv[1])
board.eval("1")
child = os.fork()
if child == 0:
    try:
        board.eval("1")
    except flylead.BoardClosed as error:
        os._exit(0 if "fork" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print(board.eval("6 * 7"))
"""
    ended = run_python(script, address)
    assert ended.stdout == "42\n", ended.stderr


def test_the_package_imports_nothing_that_takes_long() -> None:
    script = "import sys, flylead; print([m for m in ('asyncio', 'ast', 'hashlib') if m in sys.modules])"
    assert run_python(script).stdout == "[]\n"


@pytest.mark.parametrize("name", ["", ".board", ".aio", ".values", ".errors", ".device", ".remote", ".zylisp"])
def test_the_examples_do_what_they_show(
    name: str, board: Board, address: str, tmp_path: Path
) -> None:
    module = importlib.import_module("flylead" + name)
    log = tmp_path / "log"
    log.write_bytes(b"time,value\n0,1\n1,4\n")
    with started("recorder", "--log", str(log)) as recorder, Zylisp.connect() as repl:
        names = {"board": board, "address": address, "recorder": recorder, "repl": repl}
        examples(module, {**names, "folder": tmp_path / "artifacts"}, board)


def examples(module: ModuleType, names: dict[str, object], board: Board) -> None:
    name = module.__name__[len("flylead") :]
    if name == ".aio" or not name:
        board.close()
    tested = doctest.testmod(module, extraglobs=names)
    assert tested.attempted > 0 and tested.failed == 0
