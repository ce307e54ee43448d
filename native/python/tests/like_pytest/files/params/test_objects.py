"""Values without a text: named by the argument and their number."""

import pytest


class Pin:
    def __repr__(self):
        return "<pin>"


@pytest.mark.parametrize("pin,pull", [(Pin(), [1]), (Pin(), {})])
def test_pin(pin, pull):
    assert pull


@pytest.mark.parametrize("kind", [int, str, Pin, len])
def test_class(kind):
    assert callable(kind)
