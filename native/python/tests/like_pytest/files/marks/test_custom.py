"""Marks of one's own change nothing."""

import pytest


@pytest.mark.slow
def test_slow():
    assert 1 == 1


@pytest.mark.device(serial="a")
@pytest.mark.slow
def test_device():
    value = 2
    assert value == 3


@pytest.mark.slow
class TestSlow:
    def test_method(self):
        assert 1 == 1
