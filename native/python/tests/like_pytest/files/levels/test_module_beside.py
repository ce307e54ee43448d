"""A module beside the tests, imported."""

from helpers import double


def test_double():
    assert double(3) == 6


def test_double_wrong():
    assert double(3) == double(4)
