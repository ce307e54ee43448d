"""Contents of the context of pytest.raises."""

import pytest


def f():
    raise ValueError("of mine")


def test_value():
    with pytest.raises(ValueError) as excinfo:
        f()
    assert str(excinfo.value) == "of mine"
    assert excinfo.type is ValueError


def test_other_value():
    with pytest.raises(ValueError) as excinfo:
        f()
    assert excinfo.value.args == ("of yours",)
