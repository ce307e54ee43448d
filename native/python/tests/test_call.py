"""Functions of this program on a board."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import flylead
from flylead import Board, aio


def halves(values: list[int], by: int = 2) -> "list[int]":
    text = """a
  text"""
    return [value // by for value in values] + [len(text)]


def where() -> str:
    import sys

    return sys.implementation.name


async def waits(seconds: float) -> float:
    import asyncio

    await asyncio.sleep(seconds)
    return seconds


def echo(value: Any) -> Any:
    return value


def fails() -> None:
    raise ValueError(7)


def yields() -> Any:
    yield 1


def test_a_function_runs_on_the_board_and_its_value_comes_back(board: Board) -> None:
    assert board.call(where) == "micropython"
    assert board.call(halves, [4, 6]) == [2, 3, 8]
    assert board.call(halves, [9], by=3) == [3, 8]
    assert board.call(waits, 0) == 0
    for value in (None, True, -5, 2.5, float("-inf"), "ä'\n", b"\x00\xff", (1,), (), {2}, set(), {"a": [b"b"]}, bytearray(b"c")):
        assert board.call(echo, value) == value
    with pytest.raises(flylead.BoardRaised, match="ValueError: 7"):
        board.call(fails)


def test_what_a_board_cannot_have_is_refused_before_anything_is_sent(board: Board) -> None:
    outer = 5

    def inner() -> int:
        return outer

    for wrong in (inner, yields, lambda: 1, print):
        with pytest.raises(ValueError):
            board.call(wrong)
    for value in (object(), Board, [object()], {1: object()}, range(3)):
        with pytest.raises(TypeError, match="cannot be sent"):
            board.call(echo, value)


def test_a_function_past_its_time_is_stopped(board: Board) -> None:
    with pytest.raises(flylead.BoardTimeout):
        board.call(waits, 60, timeout=0.5)
    assert board.eval("1") == 1


def test_a_board_shows_its_address(board: Board, address: str) -> None:
    assert repr(board) == f"<Board {address}>"


def test_asyncio_calls_functions_too(address: str) -> None:
    async def main() -> None:
        async with aio.Board.connect(address) as board:
            assert await board.call(halves, [8]) == [4, 8]

    asyncio.run(asyncio.wait_for(main(), 60))
