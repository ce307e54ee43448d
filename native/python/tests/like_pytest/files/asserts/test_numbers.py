"""Floats, large and negative numbers."""


def test_float():
    assert 0.5 == 0.25


def test_negative():
    x = -3
    assert -x == 4


def test_large():
    assert 2**70 == 2**70 + 1


def test_division():
    assert 7 // 2 + 7 % 2 == 4
