"""Aliases, lambdas and tests below if."""

import pytest


@pytest.fixture
def number():
    return 4


def check(number):
    assert number == 5


test_alias = check

if 1 < 2:

    @pytest.mark.parametrize("n", [3, 4])
    def test_below(n, number):
        assert n == number
