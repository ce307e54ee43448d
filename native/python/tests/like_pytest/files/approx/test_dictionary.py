"""approx of a dictionary's values."""

from pytest import approx


def test_dictionary():
    assert {"a": 0.1 + 0.2, "b": 0.2 + 0.4} == approx({"a": 0.3, "b": 0.6})


def test_keys():
    assert {"a": 0.3} != approx({"b": 0.3})


def test_differs():
    assert {"a": 1.0} == approx({"a": 1.5})
