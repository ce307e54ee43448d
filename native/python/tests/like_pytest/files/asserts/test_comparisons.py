"""Each comparison operator, failing."""


def test_less():
    x, y = 5, 4
    assert x < y


def test_at_most():
    x, y = 5, 4
    assert x <= y


def test_greater():
    x, y = 4, 5
    assert x > y


def test_at_least():
    x, y = 4, 5
    assert x >= y


def test_unequal():
    x = y = 5
    assert x != y
