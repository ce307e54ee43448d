"""Arguments with defaults are left alone."""

import pytest


@pytest.mark.parametrize("a", [1, 2])
def test_default(a, b=2):
    assert a + b < 4


def test_only_default(a=3):
    assert a == 3
