"""expectedFailure of unittest."""

import unittest


class TestExpected(unittest.TestCase):
    @unittest.expectedFailure
    def test_fails(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_succeeds(self):
        self.assertEqual(1, 1)
