"""Indirect for one of several arguments."""

import pytest


@pytest.fixture
def x(request):
    return request.param * 3


@pytest.fixture
def y(request):
    return request.param * 2


@pytest.mark.parametrize("x, y", [("a", "b")], indirect=["x"])
def test_indirect(x, y):
    assert x == "aaa"
    assert y == "bb"
