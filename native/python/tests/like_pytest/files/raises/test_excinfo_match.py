"""excinfo.match."""

import pytest


def test_match():
    with pytest.raises(OSError) as excinfo:
        raise OSError("no such pin: 4")
    assert excinfo.match("pin: [0-9]")


def test_errisinstance():
    with pytest.raises(Exception) as excinfo:
        raise RuntimeError("busy")
    assert excinfo.type is RuntimeError
    assert excinfo.value.args[0] == "idle"
