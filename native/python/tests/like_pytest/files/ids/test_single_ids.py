"""ids of pytest.param."""

import pytest


@pytest.mark.parametrize(
    "a,b",
    [
        pytest.param(1, 2, id="forward"),
        pytest.param(3, 2, id="backward"),
        (5, 6),
    ],
)
def test_ids(a, b):
    assert a < b
