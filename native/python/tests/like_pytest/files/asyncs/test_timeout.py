"""wait_for and its timeout."""

import asyncio

import pytest


async def slow():
    await asyncio.sleep(30)


@pytest.mark.asyncio
async def test_wait_for():
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(slow(), 0.01)


@pytest.mark.asyncio
async def test_event():
    event = asyncio.Event()
    event.set()
    await asyncio.wait_for(event.wait(), 1)
    assert not event.is_set()
