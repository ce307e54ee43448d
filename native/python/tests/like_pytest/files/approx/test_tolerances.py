"""approx with rel and abs."""

from pytest import approx


def test_default():
    assert 1.0001 == approx(1)


def test_rel():
    assert 1.0001 == approx(1, rel=1e-3)


def test_abs():
    assert 1.0001 == approx(1, abs=1e-3)


def test_abs_too_small():
    assert 2.0 == approx(1, abs=0.5)
