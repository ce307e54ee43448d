"""pytest.fail."""

import pytest


def test_fail():
    pytest.fail("it was told to")


def test_fail_below():
    if 1 > 2:
        pytest.fail("never")
