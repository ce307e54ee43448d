"""unittest's assertions."""

import unittest


class TestAsserts(unittest.TestCase):
    def test_hold(self):
        self.assertTrue(1)
        self.assertFalse([])
        self.assertIn(1, [1])
        self.assertIsNone(None)
        self.assertIsInstance(1, int)
        self.assertGreater(2, 1)
        self.assertAlmostEqual(0.1 + 0.2, 0.3)

    def test_true(self):
        self.assertTrue(0)

    def test_in(self):
        self.assertIn(1, [2])
