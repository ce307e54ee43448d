"""A module beside the tests."""


def double(n):
    return 2 * n
