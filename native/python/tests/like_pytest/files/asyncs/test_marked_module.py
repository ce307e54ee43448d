"""pytestmark for all coroutines of a file."""

import asyncio

import pytest

pytestmark = pytest.mark.asyncio


async def test_sleep():
    await asyncio.sleep(0)
    assert 1 == 1


class TestAsync:
    async def test_method(self):
        await asyncio.sleep(0)
        value = 1
        assert value == 2
