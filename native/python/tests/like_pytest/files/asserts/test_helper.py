"""An assert in a helper function."""


def check(value):
    assert value > 0, "no positive value"
    return value


def test_below():
    check(-1)


def test_above():
    assert check(2) == 2
