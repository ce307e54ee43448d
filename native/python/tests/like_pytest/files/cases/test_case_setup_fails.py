"""A setUp that fails."""

import unittest


class TestBroken(unittest.TestCase):
    def setUp(self):
        raise OSError(5)

    def test_never(self):
        pass
