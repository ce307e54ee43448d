"""A text longer than what is shown."""


def test_long():
    text = "x" * 50
    assert text == "x" * 49 + "y"


def test_short():
    assert "x" * 3 == "xxx"
