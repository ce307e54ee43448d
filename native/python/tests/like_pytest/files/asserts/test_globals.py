"""Globals in an assert."""

LIMIT = 10
names = []


def test_limit():
    assert LIMIT == 11


def test_empty():
    assert names


def test_function():
    assert test_limit is not None
