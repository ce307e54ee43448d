"""Exceptions of one's own that nobody catches."""


class TooHot(Exception):
    pass


def test_raises():
    raise TooHot("it has 90 degrees")


def test_raises_nothing():
    assert issubclass(TooHot, Exception)
