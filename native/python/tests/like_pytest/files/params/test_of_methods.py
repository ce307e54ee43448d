"""parametrize of methods, with self."""

import pytest


class TestLimits:
    limit = 3

    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_limit(self, n):
        assert n < self.limit

    @pytest.mark.parametrize("n", [0])
    @pytest.mark.parametrize("m", [0, 1])
    def test_both(self, n, m):
        assert n == m
