"""xfail: failing, and passing."""

import pytest


@pytest.mark.xfail
def test_fails():
    assert False


@pytest.mark.xfail
def test_passes():
    assert True


@pytest.mark.xfail(reason="bug 110")
def test_reason():
    assert 1 == 2


def test_imperative():
    pytest.xfail("failing configuration (but should work)")
