"""Texts that differ."""


def test_words():
    assert "spam" == "eggs"


def test_similar():
    left = "foo 1 bar"
    assert left == "foo 2 bar"


def test_quotes():
    left = "it's"
    assert left == 'so "it" is'
