"""The first example: a function's value, and where it comes from."""


def f():
    return 3


def test_function():
    assert f() == 4


def test_function_right():
    assert f() == 3
