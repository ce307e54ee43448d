"""An empty list of values is skipped."""

import pytest


@pytest.mark.parametrize("n", [])
def test_never(n):
    assert False


def test_always():
    assert 1 == 1
