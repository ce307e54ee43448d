"""A coroutine with the mark of pytest-asyncio."""

import asyncio

import pytest


async def read():
    await asyncio.sleep(0)
    return 5


@pytest.mark.asyncio
async def test_read():
    value = await read()
    assert value == 6


@pytest.mark.asyncio
async def test_right():
    assert await read() == 5
