"""The example of the first page."""


def func(x):
    return x + 1


def test_answer():
    assert func(3) == 5


def test_nested():
    assert func(func(1)) == func(3)
