"""One board for many threads, many tasks, many connections, and Ctrl-C among them."""

from __future__ import annotations

import asyncio
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import PROGRAMS, run_python, started

import flylead
from flylead import Board, aio

FOREVER = "print('on')\nwhile True: pass"
DEADLINE = 120.0
"""Limit in seconds for programs that end by themselves."""


ECHO = """
said = ''
while said != '19':
    said = input()
    print('got', said, '.')
"""


def test_threads_take_turns(board: Board) -> None:
    board.exec("def answer(n): return n * n")
    answers: dict[int, int] = {}

    def ask(start: int) -> None:
        for n in range(start, start + 25):
            answers[n] = board.eval(f"answer({n})")

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(0, 200, 25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert answers == {n: n * n for n in range(200)}


def test_other_threads_run_while_one_waits(board: Board) -> None:
    """One thread reads all the time, and gets the answers to the input that the other one types."""
    lines: queue.Queue[bytes] = queue.Queue()
    program = board.run(ECHO, timeout=DEADLINE)

    def answer() -> None:
        for n in range(20):
            program.send(b"%d\r\n" % n)
            said = b""
            while b"got %d ." % n not in said:
                said += lines.get(timeout=DEADLINE)

    thread = threading.Thread(target=answer)
    thread.start()
    for piece in program:
        lines.put(piece)
    thread.join(DEADLINE)
    assert not thread.is_alive()


UNREAD = [FOREVER, "while True: print('x' * 99)", "pass"]
"""Programs: one that ends when it is stopped, one that waits for its reader, and one that soon
ends."""


@pytest.mark.parametrize("source", UNREAD)
def test_a_thread_that_leaves_its_program_unread_is_told_so_at_once(board: Board, source: str) -> None:
    refused: queue.Queue[str] = queue.Queue()

    def ask() -> None:
        program = board.run(source)
        asked: list[Callable[[], object]] = [
            lambda: board.exec("pass"),
            lambda: board.eval("1"),
            lambda: next(board.run("print(1)")),
            lambda: board.repl.write("1\r"),
            board.files.list,
            board.soft_reset,
        ]
        for request in asked:
            with pytest.raises(flylead.BoardBusy) as raised:
                request()
            refused.put(str(raised.value))
        program.close()
        refused.put(str(board.eval("6 * 7")))

    threading.Thread(target=ask, daemon=True).start()
    said = [refused.get(timeout=DEADLINE) for _ in range(7)]
    assert all("close()" in why for why in said[:6]) and said[6] == "42"


def test_a_function_that_is_told_of_output_cannot_ask_the_same_board(board: Board) -> None:
    ended: queue.Queue[object] = queue.Queue()

    def ask() -> None:
        try:
            board.exec("print('on')", on_output=lambda _: board.eval("1"))
        except flylead.FlyleadError as error:
            ended.put(error)
        ended.put(board.eval("6 * 7"))

    threading.Thread(target=ask, daemon=True).start()
    assert isinstance(ended.get(timeout=DEADLINE), flylead.BoardBusy)
    assert ended.get(timeout=DEADLINE) == 42


def test_programs_that_are_let_go_at_once_leave_the_board_free(board: Board) -> None:
    for _ in range(50):
        board.run("for i in range(20): print(i)")
        assert board.eval("6 * 7") == 42


def test_two_programs_are_read_one_after_the_other(board: Board) -> None:
    first, second = board.run("print('a')"), board.run("print('b')")
    with pytest.raises(flylead.BoardBusy):
        next(second)
    assert [b"".join(program).strip() for program in (first, second)] == [b"a", b"b"]
    assert board.eval("1") == 1


def test_who_leaves_a_program_to_another_thread_waits_for_its_turn(board: Board) -> None:
    lines: queue.Queue[bytes] = queue.Queue()
    program = board.run("print('on')\nx = input()", timeout=DEADLINE)

    def read() -> None:
        for piece in program:
            lines.put(piece)

    threading.Thread(target=read, daemon=True).start()
    assert lines.get(timeout=DEADLINE).startswith(b"on")
    program.send(b"go\r\n")
    assert board.eval("x", timeout=DEADLINE) == "go"


@pytest.mark.parametrize("source", UNREAD)
def test_a_task_that_leaves_its_program_unread_is_told_so_at_once(address: str, source: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            program = board.run(source)
            for ask in (lambda: board.exec("pass"), lambda: board.eval("1"), board.files.list, board.soft_reset):
                with pytest.raises(flylead.BoardBusy, match="close()"):
                    await ask()
            # The others wait for their turns.
            other = asyncio.create_task(board.eval("6 * 7"))
            await asyncio.sleep(0)
            program.close()
            assert await other == 42
            assert await board.eval("1") == 1

    asyncio.run(asyncio.wait_for(main(), DEADLINE))


def test_close_ends_what_other_threads_wait_for(address: str) -> None:
    board = Board.connect(address)
    said: queue.Queue[bytes] = queue.Queue()
    ended: queue.Queue[object] = queue.Queue()

    def ask(source: str) -> None:
        try:
            ended.put(board.exec(source, on_output=said.put))
        except flylead.FlyleadError as error:
            ended.put(error)

    threads = [threading.Thread(target=ask, args=(source,)) for source in (FOREVER, "pass", FOREVER)]
    threads[0].start()
    assert said.get(timeout=DEADLINE).startswith(b"on")
    for thread in threads[1:]:
        thread.start()
    board.close()
    assert all(isinstance(ended.get(timeout=DEADLINE), flylead.BoardClosed) for _ in threads)
    with Board.connect(address) as again:
        assert again.eval("6 * 7") == 42


def test_close_ends_what_other_tasks_wait_for(address: str) -> None:
    async def main() -> None:
        board = await aio.Board.connect(address)
        on = asyncio.Event()
        first = asyncio.create_task(board.exec(FOREVER, on_output=lambda _: on.set()))
        await on.wait()
        others = [asyncio.create_task(board.eval("1")) for _ in range(3)]
        await board.close()
        ended = await asyncio.gather(first, *others, return_exceptions=True)
        assert all(isinstance(error, flylead.BoardClosed) for error in ended), ended

    asyncio.run(asyncio.wait_for(main(), DEADLINE))
    with Board.connect(address) as again:
        assert again.eval("6 * 7") == 42


CTRL_C = """
import signal, sys, flylead
# Whoever started the tests in the background may have had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
board = flylead.Board.connect(sys.argv[1])
for _ in range(int(sys.argv[2])):
    try:
        print("ready", flush=True)
        while True:
            board.exec("for i in range(20): print(i)")
            for piece in board.run("for i in range(20): print(i)"): pass
            board.files.write("c.txt", b"x" * 5000)
            board.files.read("c.txt")
            board.exec("import time\\ntime.sleep(0.02)")
    except KeyboardInterrupt:
        pass
    print("answers", board.eval("6 * 7"), flush=True)
"""


def test_ctrl_c_at_any_of_a_hundred_moments_leaves_the_board_answering(address: str) -> None:
    dice = random.Random(7)
    moments = [dice.random() * 0.1 for _ in range(100)]
    command = [sys.executable, "-c", CTRL_C, address, str(len(moments))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        # A process that hangs is ended, and has not printed all of its lines.
        watchdog = threading.Timer(5 * DEADLINE, process.kill)
        watchdog.start()
        try:
            for moment in moments:
                assert process.stdout.readline() == "ready\n"
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                assert process.stdout.readline() == "answers 42\n"
            assert process.wait(DEADLINE) == 0
        finally:
            watchdog.cancel()
            process.kill()


CONNECTS = """
import os, resource, sys, flylead

def connect(count):
    for _ in range(count):
        flylead.Board.connect(sys.argv[1]).close()

def held():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), resource.getrusage(0).ru_maxrss

connect(50)
before = held()
connect(1000)
print(*(after - before for after, before in zip(held(), before)))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not say what a process holds")
def test_a_thousand_connects_and_closes_leak_nothing(address: str) -> None:
    ran = run_python(CONNECTS, address, timeout=5 * DEADLINE)
    files, threads, kilobytes = (int(word) for word in ran.stdout.split())
    # A leaked connection would take at least some kilobytes.
    assert files <= 0 and threads <= 0 and kilobytes < 2048, ran.stdout


@contextmanager
def shared(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A board of `flylead serve`; yields its address, and the environment of its tools."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    with started("unix") as address:
        command = [str(PROGRAMS / "flylead"), "serve", "--json", "--board", address, "--listen=127.0.0.1:0"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as hub:
            try:
                assert hub.stdout is not None and hub.stdout.readline()
                yield address, environment
            finally:
                hub.terminate()


def command(address: str, environment: dict[str, str], *words: str) -> str:
    """Runs another tool of the board."""
    line = [str(PROGRAMS / "flylead"), "--timeout=20", "--port", address, *words]
    ran = subprocess.run(line, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_program_that_asks_nothing_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared(tmp_path) as (address, environment):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        with Board.connect(address, timeout=60) as board:
            board.exec("x = 5")
            assert command(address, environment, "exec", "y = x + 1; print(y)") == "6\n"
            # The other's turn has passed, and the variables are there.
            assert board.eval("(x, y)") == (5, 6)
            board.files.write("kept.txt", "kept")
            assert command(address, environment, "fs", "cat", ":kept.txt") == "kept"
            # Each request comes soon after the last one, and others come between two of them.
            other = threading.Thread(target=command, args=(address, environment, "exec", "done = True"))
            board.exec("done = False")
            other.start()
            end = time.monotonic() + 60
            while not board.eval("done"):
                assert time.monotonic() < end
            other.join()


def test_a_turn_is_kept_for_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared(tmp_path) as (address, environment):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        with Board.connect(address, timeout=60) as board:
            with board.turn():
                board.exec("x = 1")
                other = threading.Thread(target=command, args=(address, environment, "exec", "x = 2"))
                other.start()
                time.sleep(2)
                assert board.eval("x") == 1
                with board.turn():
                    pass
                assert board.eval("x") == 1
                # The end of the block waits for no program.
                board.run("print('unread')").close()
            other.join()
            assert board.eval("x") == 2
        with pytest.raises(flylead.BoardClosed):
            with board.turn():
                pass


def test_a_request_that_gets_no_turn_in_time_names_who_has_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared(tmp_path) as (address, environment):
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        with Board.connect(address, timeout=2) as board:
            assert board.eval("1") == 1
            line = [str(PROGRAMS / "flylead"), "--port", address, "exec", "print('on')\nwhile True: pass"]
            with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True) as other:
                assert other.stdout is not None and other.stdout.readline() == "on\n"
                with pytest.raises(flylead.OpenError, match="flylead exec"):
                    board.eval("2")
                other.kill()
            assert board.eval("3") == 3
