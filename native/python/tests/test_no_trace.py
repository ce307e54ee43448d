"""No method leaves anything on a board but its request: names, directory, search path, modules, mounts and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from inspect import isawaitable
from pathlib import Path
from typing import Any, Callable, Union

import pytest
from conftest import started

import flylead
from flylead import Board, FileError, aio

Method = Callable[[Any], Any]
Methods = dict[str, Method]
AnyBoard = Union[Board, aio.Board]


def unseen(*lines: str) -> str:
    """A program that uses no name of the board's user and leaves none."""
    head = ("global __seen__", "del __seen__", "from builtins import print")
    return "def __seen__():\n " + "\n ".join((*head, *lines)) + "\n__seen__()"


STATE = unseen(
    "import builtins as b, sys, os",
    "print(b.sorted((k, b.repr(v)) for k, v in b.globals().items()))",
    "print(os.getcwd(), sys.path, b.sorted(b.getattr(sys, 'modules', ())))",
    "try:",
    " import vfs",
    " print(vfs.mount())",
    "except b.ImportError: print(os.listdir('/'))",
)
MEMORY = unseen(
    "import gc",
    "def deep(n): return n and deep(n - 1)",
    "deep(60)",
    "gc.collect()",
    "print(gc.mem_free())",
)
NOISE = 384
"""Bytes of some of the collector's blocks: what it takes for a pointer differs with what ran before."""
LARGE = bytes(index * index & 255 for index in range(10_000))


def twice(value: int) -> int:
    return 2 * value


def counted() -> None:
    count = 1


def refused(board: AnyBoard) -> Any:
    async def ends(board: aio.Board) -> None:
        with pytest.raises(FileError):
            await board.files.read("trace/none")

    if isinstance(board, aio.Board):
        return ends(board)
    with pytest.raises(FileError):
        board.files.read("trace/none")
    return None


def read_to_the_end(board: AnyBoard) -> Any:
    async def ends(program: aio.Program) -> None:
        async for _ in program:
            pass

    program = board.run("print(1)")
    return ends(program) if isinstance(program, aio.Program) else list(program)


def typed(board: AnyBoard) -> Any:
    """Types a line at the prompt; its value would stay in `_` if it had one."""

    async def ends(board: aio.Board) -> None:
        await board.repl.write("None\r")
        await board.repl.read_until(b">>> ", timeout=60)
        await board.repl.read(timeout=0.05)

    if isinstance(board, aio.Board):
        return ends(board)
    board.repl.write("None\r")
    board.repl.read_until(b">>> ", timeout=60)
    return board.repl.read(timeout=0.05)


def without(board: AnyBoard, name: str, made: Any) -> Any:
    """Removes a name that a method has to leave; that it is there is a part of the test."""

    async def ends(board: aio.Board) -> None:
        await made
        await board.exec("del " + name)

    return ends(board) if isinstance(board, aio.Board) else board.exec("del " + name)


def in_turn(board: AnyBoard) -> Any:
    async def ends(board: aio.Board) -> None:
        async with board.turn():
            await board.exec("pass")

    if isinstance(board, aio.Board):
        return ends(board)
    with board.turn():
        return board.exec("pass")


def methods(folder: Path) -> Methods:
    """Every method, in an order in which they can run; an underscore parts a method from its variant."""
    (folder / "in").mkdir()
    (folder / "in/a.txt").write_bytes(LARGE)
    return {
        "exec": lambda board: board.exec("pass"),
        "exec_raises": lambda board: board.exec("try: 1/0\nexcept ZeroDivisionError: pass"),
        "eval": lambda board: board.eval("[1, 'a']"),
        "run": read_to_the_end,
        "call": lambda board: without(board, "twice", board.call(twice, 2)),
        "turn": in_turn,
        "repl.write": typed,
        "files.make_directory": lambda board: board.files.make_directory("trace", parents=True),
        "files.write": lambda board: board.files.write("trace/small", "text"),
        "files.write_large": lambda board: board.files.write("trace/large", LARGE),
        "files.write_tree": lambda board: board.files.write_tree({"trace/in": None, "trace/in/a": b"a"}),
        "files.append": lambda board: board.files.append("trace/small", "more"),
        "files.sync": lambda board: board.files.sync(folder, "trace/synced", delete=True),
        "files.list": lambda board: board.files.list("trace"),
        "files.tree": lambda board: board.files.tree("trace", hashes=True),
        "files.stat": lambda board: board.files.stat("trace/small"),
        "files.exists": lambda board: board.files.exists("trace/none"),
        "files.read": lambda board: board.files.read("trace/small"),
        "files.read_large": lambda board: board.files.read("trace/large"),
        "files.read_refused": refused,
        "files.sha256": lambda board: board.files.sha256("trace/large"),
        "files.space": lambda board: board.files.space(),
        "files.rename": lambda board: board.files.rename("trace/small", "trace/other"),
        "files.touch": lambda board: board.files.touch("trace/touched"),
        "files.remove": lambda board: board.files.remove("trace/other"),
        "files.remove_tree": lambda board: board.files.remove("trace", tree=True),
    }


ONLY_HERE: Methods = {
    "setup": lambda board: without(board, "counted, count", board.setup(counted)()),
    "task": lambda board: without(board, "twice", board.task(twice)(3)),
    "proxy": lambda board: repr(board.proxy("__import__('sys')").implementation),
    "command": lambda board: board.command("ls"),
}
"""Methods that only `flylead.Board` has."""
ELSEWHERE = {
    "connect": "each board below is connected",
    "close": "the state is compared after it, too",
    "interrupt": "it does nothing without a program",
    "soft_reset": "it ends the interpreter, with all of its names",
    "teardown": "it is a `setup` that `close` runs",
    "thread": "a thread that has ended is a `task`",
    "repl.read": "with `repl.write`",
    "repl.read_until": "with `repl.write`",
}
"""Methods that are not looked at, and the reason."""


@pytest.fixture(scope="module")
def own() -> Iterator[str]:
    """A board for this file alone: others leave names."""
    with started("unix") as address:
        yield address


async def finished(result: Any) -> Any:
    return await result if isawaitable(result) else result


async def leaves_nothing(board: AnyBoard, all_methods: Methods) -> str:
    async def said(source: str) -> bytes:
        output = await finished(board.exec(source))
        assert isinstance(output, bytes)
        return output

    async def free() -> int:
        return int(await said(MEMORY))

    before = await said(STATE)
    # The first time, what the board keeps forever of each new name is in it.
    for is_measured in (False, True):
        for name, method in all_methods.items():
            had = await free()
            await finished(method(board))
            assert await said(STATE) == before, name
            left = had - await free()
            for _ in range(4):
                if left > NOISE:
                    left = min(left, had - await free())
            assert left <= NOISE or not is_measured, f"{name}: {left} bytes"
    return before.decode()


def test_no_method_leaves_a_name_a_directory_or_memory(own: str, tmp_path: Path) -> None:
    async def main() -> str:
        with Board.connect(own) as board:
            return await leaves_nothing(board, {**methods(tmp_path), **ONLY_HERE})

    before = asyncio.run(main())
    with Board.connect(own) as board:
        assert board.exec(STATE).decode() == before, "close"


def test_no_method_of_asyncio_leaves_a_name_a_directory_or_memory(own: str, tmp_path: Path) -> None:
    async def main() -> str:
        async with aio.Board.connect(own) as board:
            return await leaves_nothing(board, methods(tmp_path))

    before = asyncio.run(main())
    with Board.connect(own) as board:
        assert board.exec(STATE).decode() == before, "close"


def test_every_method_is_among_those_that_are_looked_at(tmp_path: Path) -> None:
    def public(kind: type, prefix: str = "") -> set[str]:
        return {prefix + name for name in vars(kind) if not name.startswith("_")}

    both = methods(tmp_path)
    looked_at = {name for name in (*both, *ONLY_HERE)}
    here = public(Board) | public(flylead.Files, "files.") | public(flylead.Repl, "repl.")
    assert here - ELSEWHERE.keys() <= looked_at
    assert not ELSEWHERE.keys() & looked_at and ELSEWHERE.keys() <= here
    there = public(aio.Board) | public(aio.Files, "files.") | public(aio.Repl, "repl.")
    assert there - ELSEWHERE.keys() <= both.keys()
