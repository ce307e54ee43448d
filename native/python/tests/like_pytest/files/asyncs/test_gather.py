"""gather and tasks."""

import asyncio

import pytest


async def double(n):
    await asyncio.sleep(0)
    return 2 * n


@pytest.mark.asyncio
async def test_gather():
    assert list(await asyncio.gather(double(1), double(2))) == [2, 4]


@pytest.mark.asyncio
async def test_task():
    task = asyncio.create_task(double(3))
    assert await task == 7
