"""Asserts of several lines."""


def test_lines():
    a, b = 1, 2
    assert (
        a
        == b
    ), "of three lines"


def test_grouped():
    a, b = 2, 3
    assert (a + b) * 2 == a + (b * 2)
