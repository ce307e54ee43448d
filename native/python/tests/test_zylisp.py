"""`flylead.Zylisp` and real servers: the command's, and sessions in this process."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROGRAMS, run_python

import flylead
from flylead import Zylisp, ZylispError, ZylispInterrupted, aio

FOREVER = "(define loop (lambda (n) (loop (+ n 1)))) (println 1) (loop 0)"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "add.zl").write_text('(println "loading")\n(define add (lambda (a b) (+ a b)))\n(add 1 2)\n')
    command = [str(PROGRAMS / "flylead"), "zylisp", "serve", "127.0.0.1:0", "--root", str(folder)]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(params=["server", "in-process"])
def repl(request: pytest.FixtureRequest) -> Iterator[Zylisp]:
    place = request.param if request.param == "in-process" else request.getfixturevalue("server")
    with Zylisp.connect(place) as repl:
        yield repl


def test_values_output_and_definitions(repl: Zylisp) -> None:
    assert repl.eval("(+ 1 2)") == 3
    assert repl.eval('(list 1 -2 "text" true)') == [1, -2, "text", True]
    repl.eval("(define square (lambda (n) (* n n)))")
    said: list[str] = []
    assert repl.eval('(println "hello") (square 12)', said.append) == 144
    assert "".join(said) == "hello\n"
    reply = repl.evaluate('(println "ä") square')
    assert isinstance(reply.value, flylead.Repr) and reply.value == reply.text
    assert (reply.output, reply.more) == ("ä\n", False)


def test_an_error_has_its_kind_its_place_and_what_was_printed(repl: Zylisp) -> None:
    with pytest.raises(ZylispError, match="type-error: ") as raised:
        repl.evaluate("(println 1)\n(car 5)", file="a.zl")
    error = raised.value
    assert (error.kind, error.output) == ("type-error", "1\n")
    assert (error.trace[0].file, error.trace[0].line) == ("a.zl", 2)
    assert repl.eval("1") == 1


def test_names_are_completed_and_explained(repl: Zylisp) -> None:
    names = repl.complete("nu")
    assert ("null?", "function") in names
    assert repl.complete("no-such-name") == []
    assert "car" in repl.look_up("car")["usage"]
    assert repl.look_up("no-such-name") == {}
    assert repl.describe()


def test_a_program_reads_what_it_is_given(repl: Zylisp) -> None:
    lines = iter(["one\n", "two\n"])
    read = "(list (read-line) (read-line))"
    assert repl.eval(read, on_input=lambda: next(lines)) == ["one", "two"]
    assert repl.eval("(list (read-line))") == [None]


def test_a_long_value_comes_in_pages(repl: Zylisp) -> None:
    reply = repl.evaluate('(list "aaaaaaaaaa" "bbbbbbbbbb" "cccccccccc")', page=16)
    text = reply.text
    while reply.more:
        reply = repl.more(16)
        text += reply.text
    assert text == '("aaaaaaaaaa" "bbbbbbbbbb" "cccccccccc")'


def running(repl: Zylisp) -> tuple[threading.Thread, list[BaseException]]:
    """Returns a thread in which an endless program runs, and a record of how it ended."""
    runs = threading.Event()
    ended: list[BaseException] = []

    def evaluate() -> None:
        try:
            repl.evaluate(FOREVER, lambda _: runs.set())
        except BaseException as error:
            ended.append(error)
            runs.set()

    thread = threading.Thread(target=evaluate)
    thread.start()
    assert runs.wait(60) and not ended, ended
    return thread, ended


def test_another_thread_interrupts(repl: Zylisp) -> None:
    thread, ended = running(repl)
    repl.interrupt()
    thread.join(60)
    assert isinstance(ended[0], ZylispInterrupted) and repl.eval("2") == 2


def test_closing_ends_what_runs(repl: Zylisp) -> None:
    thread, ended = running(repl)
    repl.close()
    thread.join(60)
    assert isinstance(ended[0], flylead.BoardClosed)
    with pytest.raises(flylead.BoardClosed, match="connect"):
        repl.eval("1")


def test_a_file_of_the_server_is_loaded(server: str) -> None:
    with Zylisp.connect(server) as repl:
        reply = repl.load_file("add.zl")
        assert (reply.value, reply.output) == (3, "loading\n")
        assert repl.eval("(add 20 22)") == 42
        with pytest.raises((ZylispError, flylead.ZylispRefused)):
            repl.load_file("missing.zl")


def test_ctrl_c_interrupts_and_the_session_goes_on(server: str) -> None:
    script = f"""
import os, signal, sys, flylead
signal.signal(signal.SIGINT, signal.default_int_handler)
repl = flylead.Zylisp.connect(sys.argv[1])
try:
    repl.eval({FOREVER!r}, lambda text: os.kill(os.getpid(), signal.SIGINT))
except KeyboardInterrupt:
    print(repl.eval("(* 6 7)"))
"""
    ended = run_python(script, server)
    assert ended.stdout == "42\n", ended.stderr


def test_nobody_answers_and_no_address(tmp_path: Path) -> None:
    with pytest.raises(flylead.OpenError) as raised:
        Zylisp.connect(str(tmp_path / "no.sock"))
    assert raised.value.kind == "not-found"
    for address, codec in (("ftp://there", "json"), ("in-process", "xml")):
        with pytest.raises(ValueError):
            Zylisp.connect(address, codec=codec)


def test_the_same_for_asyncio(server: str) -> None:
    async def main() -> None:
        async with aio.Zylisp.connect(server) as repl:
            assert await repl.eval("(define x 6)") is not None
            answers = await asyncio.gather(*[repl.eval(f"(* x {n})") for n in range(50)])
            assert answers == [6 * n for n in range(50)]
            reply = await repl.evaluate("(println x) (read-line)", on_input=lambda: "said\n")
            assert (reply.value, reply.output) == ("said", "6\n")
            assert (await repl.load_file("add.zl")).value == 3
            assert [name.name for name in await repl.complete("nul")] == ["null?"]
            assert await repl.look_up("car") and await repl.describe()
            runs = asyncio.Event()
            task = asyncio.ensure_future(repl.evaluate(FOREVER, lambda _: runs.set()))
            await runs.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await repl.eval("7") == 7
            runs.clear()
            task = asyncio.ensure_future(repl.evaluate(FOREVER, lambda _: runs.set()))
            await runs.wait()
            await repl.interrupt()
            with pytest.raises(ZylispInterrupted):
                await task

    asyncio.run(asyncio.wait_for(main(), 120))
