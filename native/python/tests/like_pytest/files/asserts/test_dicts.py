"""Dictionaries of one entry, and lookups."""


def test_value():
    assert {"a": 0} == {"a": 1}


def test_lookup():
    pins = {"led": 25}
    assert pins["led"] == 13


def test_keys():
    pins = {"led": 25}
    assert list(pins.keys()) == ["led"]
