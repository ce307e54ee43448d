"""pytestmark parametrizes a file."""

import pytest

pytestmark = pytest.mark.parametrize("n,expected", [(1, 2), (3, 5)])


class TestClass:
    def test_simple_case(self, n, expected):
        assert n + 1 == expected


def test_function(n, expected):
    assert n < expected
