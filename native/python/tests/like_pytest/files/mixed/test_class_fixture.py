"""A class with an autouse fixture of its own."""

import pytest


class TestBuffer:
    @pytest.fixture(autouse=True)
    def buffer(self):
        self.data = [1, 2]
        yield
        self.data.clear()

    def test_len(self):
        assert len(self.data) == 3

    def test_sum(self):
        assert sum(self.data) == 3
