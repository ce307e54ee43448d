"""Names of arguments as a list and a tuple."""

import pytest


@pytest.mark.parametrize(["a", "b"], [[1, 2], [3, 3]])
def test_list(a, b):
    assert a < b


@pytest.mark.parametrize(("a", "b"), [(1, 2), (3, 4)])
def test_tuple(a, b):
    assert a < b


@pytest.mark.parametrize("a, b", [(1, 2)])
def test_blank(a, b):
    assert a < b
