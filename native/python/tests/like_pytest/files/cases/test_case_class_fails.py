"""A setUpClass that fails."""

import unittest


class TestBroken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("no bus")

    def test_never(self):
        pass

    def test_never_too(self):
        pass


def test_other():
    assert 1 == 1
