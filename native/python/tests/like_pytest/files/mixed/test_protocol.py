"""A parser, with errors."""

import pytest


def parse(line):
    name, _, value = line.partition("=")
    if not value:
        raise ValueError("no value: " + line)
    return name, int(value)


@pytest.mark.parametrize("line,expected", [("a=1", ("a", 1)), ("b=2", ("b", 3))])
def test_parse(line, expected):
    assert parse(line) == expected


@pytest.mark.parametrize("line", ["", "a", "a="])
def test_bad(line):
    with pytest.raises(ValueError, match="no value"):
        parse(line)
