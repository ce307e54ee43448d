"""ids of one's own."""

import pytest


@pytest.mark.parametrize("a,b", [(1, 2), (3, 3)], ids=["rising", "level"])
def test_ids(a, b):
    assert a < b


@pytest.mark.parametrize("a", [1, 2], ids=["one", None])
def test_some(a):
    assert a > 0
