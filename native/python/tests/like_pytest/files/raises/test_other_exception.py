"""An exception that was not expected passes through."""

import pytest


def test_other():
    with pytest.raises(ValueError):
        raise TypeError("no value")


def test_base():
    with pytest.raises(LookupError):
        raise KeyError("a")
