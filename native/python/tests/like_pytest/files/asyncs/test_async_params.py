"""Coroutines with parametrize and a fixture."""

import asyncio

import pytest


@pytest.fixture
def base():
    return 10


@pytest.mark.asyncio
@pytest.mark.parametrize("n", [1, 2])
async def test_sum(base, n):
    await asyncio.sleep(0)
    assert base + n == 11
