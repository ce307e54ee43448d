"""skip."""

import pytest


@pytest.mark.skip(reason="no way of currently testing this")
def test_the_unknown():
    assert False


@pytest.mark.skip
def test_bare():
    assert False


def test_function():
    if 1 < 2:
        pytest.skip("unsupported configuration")
    assert False
