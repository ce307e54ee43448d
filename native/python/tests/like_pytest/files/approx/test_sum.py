"""The first example of approx."""

from pytest import approx


def test_sum():
    assert (0.1 + 0.2) == approx(0.3)


def test_other_sum():
    assert 0.5 == approx(0.25)


def test_unequal():
    assert 0.5 != approx(0.25)
