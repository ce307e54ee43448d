"""A class that is skipped, and a mark that several tests share."""

import pytest

needs_pin = pytest.mark.skipif(True, reason="no pin")


@pytest.mark.skip(reason="all of them")
class TestSkipped:
    def test_a(self):
        assert False


class TestRuns:
    @needs_pin
    def test_b(self):
        assert False

    def test_c(self):
        assert 1 == 1
