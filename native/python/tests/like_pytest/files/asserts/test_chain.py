"""Chained comparisons."""


def test_middle():
    low, value, high = 1, 7, 5
    assert low < value < high


def test_first():
    low, value, high = 8, 7, 9
    assert low < value < high


def test_all_hold():
    assert 1 < 2 < 3 <= 3
