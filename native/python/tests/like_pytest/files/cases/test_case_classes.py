"""setUpClass and tearDownClass."""

import unittest

calls = []


class TestFirst(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        calls.append("up")

    @classmethod
    def tearDownClass(cls):
        calls.append("down")

    def test_a(self):
        self.assertEqual(calls, ["up"])

    def test_b(self):
        self.assertEqual(calls, ["up"])


def test_after():
    assert calls == ["up", "down", "more"]
