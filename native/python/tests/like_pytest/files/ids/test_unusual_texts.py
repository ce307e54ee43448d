"""Texts with blanks, brackets and other letters as ids."""

import pytest


@pytest.mark.parametrize("text", ["two words", "a[0]", "caf\u00e9", "", "new\nline"])
def test_text(text):
    assert text != "a[0]"
