"""Values of a constant of the file."""

import pytest

CASES = [(1, 1), (2, 4), (3, 8)]


@pytest.mark.parametrize("n,square", CASES)
def test_square(n, square):
    assert n * n == square


@pytest.mark.parametrize("n", range(3))
def test_range(n):
    assert n < 2
