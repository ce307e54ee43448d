"""Values that are computed when the file is imported."""

import pytest

CASES = [2 * n for n in range(3)]


@pytest.mark.parametrize("n", CASES)
def test_even(n):
    assert n % 2 == 0


@pytest.mark.parametrize("n", list(range(2)) + [5])
def test_sum(n):
    assert n < 5
