"""An async fixture with a yield."""

import asyncio

import pytest
import pytest_asyncio


@pytest_asyncio.fixture
async def connection():
    await asyncio.sleep(0)
    yield 7
    await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_connection(connection):
    assert connection == 7


@pytest.mark.asyncio
async def test_other():
    assert 1 == 1
