"""Fixtures of conftest.py."""


def test_order(order):
    assert order == ["top"]


def test_name(username):
    assert username == "other"
