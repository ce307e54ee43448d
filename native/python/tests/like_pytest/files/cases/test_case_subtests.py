"""subTest, all of whose turns hold."""

import unittest


class TestSub(unittest.TestCase):
    def test_turns(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertLess(n, 3)
