"""ids made by a function of one's own."""

import pytest


def idfn(value):
    return "n{}".format(value)


@pytest.mark.parametrize("a", [1, 2], ids=idfn)
def test_function(a):
    assert a < 2
