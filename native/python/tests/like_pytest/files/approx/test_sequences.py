"""approx of lists and tuples."""

from pytest import approx


def test_tuple():
    assert (0.1 + 0.2, 0.2 + 0.4) == approx((0.3, 0.6))


def test_list():
    assert [0.1 + 0.2, 1.0] == approx([0.3, 1.0])


def test_length():
    assert not [1.0] == approx([1.0, 2.0])


def test_differ():
    assert [1.0, 2.0] == approx([1.0, 2.5])
