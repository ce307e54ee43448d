"""AssertionError, raised by hand and without a message."""


def test_by_hand():
    raise AssertionError("by hand")


def test_bare():
    raise AssertionError


def test_constant():
    assert False
