"""approx of zero, infinity and what is no number."""

from pytest import approx


def test_zero():
    assert 1e-13 == approx(0.0)


def test_infinity():
    inf = float("inf")
    assert inf == approx(inf)


def test_nan():
    nan = float("nan")
    assert nan != approx(nan)
    assert nan == approx(nan, nan_ok=True)


def test_none():
    assert None == approx(None)
