"""raises with several exceptions."""

import pytest


@pytest.mark.parametrize("text", ["a", "7"])
def test_either(text):
    with pytest.raises((ValueError, KeyError)):
        if text == "a":
            raise KeyError(text)
        raise ValueError(text)


def test_neither():
    with pytest.raises((ValueError, KeyError)):
        pass
