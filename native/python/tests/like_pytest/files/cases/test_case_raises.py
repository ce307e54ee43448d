"""assertRaises in both forms."""

import unittest


class TestRaises(unittest.TestCase):
    def test_context(self):
        with self.assertRaises(ValueError) as caught:
            raise ValueError("of mine")
        assert caught.exception.args == ("of mine",)

    def test_call(self):
        self.assertRaises(KeyError, {}.__getitem__, 1) if hasattr({}, "__getitem__") else None

    def test_nothing(self):
        with self.assertRaises(ValueError):
            pass
