"""Comprehensions and builtins within an assert."""


def test_all():
    numbers = [2, 4, 5]
    assert all(n % 2 == 0 for n in numbers)


def test_list():
    numbers = [1, 2]
    assert [n * n for n in numbers] == [1, 5]


def test_sum():
    numbers = [1, 2]
    assert sum(numbers) == 4


def test_len():
    numbers = [1, 2]
    assert len(numbers) == 3
