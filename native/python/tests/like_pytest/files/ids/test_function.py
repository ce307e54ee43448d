"""ids made by a function."""

import pytest


@pytest.mark.parametrize("a", [1, 2], ids=str)
def test_str(a):
    assert a < 2


@pytest.mark.parametrize("a", [1, "x"], ids=repr)
def test_repr(a):
    assert a
