"""Equal ids are numbered."""

import pytest


@pytest.mark.parametrize("a", [1, 1, 2])
def test_numbers(a):
    assert a == 1


@pytest.mark.parametrize("a", ["x", "x"])
def test_texts(a):
    assert a == "x"


@pytest.mark.parametrize("a", ["a", "a", "a0"])
def test_taken(a):
    assert len(a) < 3
