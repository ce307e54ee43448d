"""The first example of pytest.raises."""

import pytest


def test_zero_division():
    with pytest.raises(ZeroDivisionError):
        1 / 0


def test_does_not_raise():
    with pytest.raises(ZeroDivisionError):
        1 / 1
