"""`flylead.aio.Board` and real boards."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

import flylead
from flylead import aio


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 60))


def test_programs_values_and_files(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            assert await board.exec("print(1)") in (b"1\r\n", b"1\n")
            assert await board.eval("(1, 'x')") == (1, "x")
            await board.files.write_tree({"aio/a.txt": b"abc", "aio/b": None})
            assert await board.files.read("aio/a.txt") == b"abc"
            assert [entry.name for entry in await board.files.list("aio")] == ["a.txt", "b"]
            await board.files.remove("aio", tree=True)
            assert not await board.files.exists("aio")
            with pytest.raises(flylead.BoardRaised) as raised:
                await board.exec("print('p')\n1/0")
            assert raised.value.output.strip() == b"p"

    run(main())


def test_output_comes_as_it_is_written(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            program = board.run("print('name?')\nprint('hello', input())")
            said = await program.__anext__()
            program.send(b"you\r\n")
            async for piece in program:
                said += piece
            assert said.rstrip().endswith(b"hello you")

    run(main())


def test_the_prompt_takes_keys(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            await board.repl.write("6 * 7\r")
            assert b"6 * 7" in await board.repl.read_until(b"42", timeout=60)
            await board.repl.read_until(b">>> ", timeout=60)
            assert await board.repl.read(timeout=0.05) == b""
            assert await board.eval("1") == 1

    run(main())


def test_tasks_take_turns(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            asked = [board.eval(f"{n} * 2") for n in range(100)]
            assert await asyncio.gather(*asked) == [n * 2 for n in range(100)]

    run(main())


def test_a_cancelled_task_stops_its_program(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            for program in ("while True: pass", "while True: print('x')"):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(board.exec(program), 0.3)
                assert await board.eval("7") == 7

    run(main())


def test_a_closed_board_is_free_for_others(address: str) -> None:
    async def main() -> None:
        board = await aio.Board.connect(address)
        await board.close()
        with pytest.raises(flylead.BoardClosed):
            await board.eval("1")

    run(main())
    with flylead.Board.connect(address) as board:
        assert board.eval("1") == 1
