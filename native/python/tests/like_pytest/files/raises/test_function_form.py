"""raises with a function."""

import pytest


def func(x):
    if x <= 0:
        raise ValueError("x needs to be larger than zero")


def test_function():
    pytest.raises(ValueError, func, x=-1)


def test_function_raises_nothing():
    pytest.raises(ValueError, func, x=1)
