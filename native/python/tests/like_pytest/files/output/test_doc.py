"""Docstrings of tests are only texts."""


def test_documented():
    """It says what it does.

    assert False
    """
    assert 3 == 3


class TestDocumented:
    """A class that says what it does."""

    def test_documented(self):
        """A method, too."""
        assert "text" == "texts"
