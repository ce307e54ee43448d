"""skipif."""

import sys

import pytest


@pytest.mark.skipif(sys.version_info < (3, 0), reason="requires python3")
def test_runs():
    assert 1 == 1


@pytest.mark.skipif(1 < 2, reason="one is less")
def test_skipped():
    assert False


@pytest.mark.skipif("1 < 2", reason="a text")
def test_text():
    assert False


@pytest.mark.skipif(False, reason="never")
@pytest.mark.skipif(True, reason="always")
def test_both():
    assert False
