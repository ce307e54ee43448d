"""`and`, `or` and `not`."""


def test_and():
    a, b = 1, 0
    assert a and b


def test_or():
    a, b = 0, ""
    assert a or b


def test_not():
    full = [1]
    assert not full


def test_mixed():
    a, b = 2, 3
    assert a == 2 and b == 4
