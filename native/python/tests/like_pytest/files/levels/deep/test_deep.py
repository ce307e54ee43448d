"""Fixtures of two levels of conftest.py."""


def test_order(order):
    assert order == ["top", "deep", "auto"]


def test_both(order, username):
    assert order + [username] == ["top", "deep", "auto"]
