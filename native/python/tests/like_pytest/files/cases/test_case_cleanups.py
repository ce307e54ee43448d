"""addCleanup, and its order."""

import unittest

order = []


class TestCleanups(unittest.TestCase):
    def tearDown(self):
        order.append("down")

    def test_a(self):
        self.addCleanup(order.append, "first")
        self.addCleanup(order.append, "second")

    def test_b(self):
        assert order == ["down", "second", "first", "x"]
