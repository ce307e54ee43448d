"""raises with match."""

import pytest


def myfunc():
    raise ValueError("Exception 123 raised")


def test_match():
    with pytest.raises(ValueError, match=r".* 123 .*"):
        myfunc()


def test_no_match():
    with pytest.raises(ValueError, match="456"):
        myfunc()
