"""One argument, values of several kinds."""

import pytest


@pytest.mark.parametrize("value", [1, -2, 2.5, True, None, "text", b"raw"])
def test_kind(value):
    assert value != -2


@pytest.mark.parametrize("value", (1, 2))
def test_tuple(value):
    assert value < 2
