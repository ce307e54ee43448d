"""A fixture that is a coroutine."""

import asyncio

import pytest
import pytest_asyncio


@pytest_asyncio.fixture
async def reading():
    await asyncio.sleep(0)
    return 7


@pytest.mark.asyncio
async def test_reading(reading):
    assert reading == 8
