"""raises around a helper that asserts."""

import pytest


def positive(value):
    assert value > 0, "no positive value"
    return value


def test_assertion():
    with pytest.raises(AssertionError):
        positive(-1)


def test_returns():
    with pytest.raises(AssertionError):
        positive(1)
