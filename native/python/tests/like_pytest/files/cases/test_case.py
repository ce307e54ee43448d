"""unittest's classes: what pytest runs of them."""

import unittest


class TestThings(unittest.TestCase):
    def setUp(self):
        self.value = 5

    def test_value(self):
        self.assertEqual(self.value, 5)

    def test_plain_assert(self):
        assert self.value == 6
