"""Tuples, and their items."""


def pair():
    return 1, 2


def test_pair():
    assert pair() == (1, 3)


def test_one():
    assert (1,) == (2,)


def test_unpacked():
    first, second = pair()
    assert first + second == 3
