"""Skips of unittest."""

import unittest


class TestSkips(unittest.TestCase):
    @unittest.skip("no sensor")
    def test_skip(self):
        self.fail()

    @unittest.skipIf(1 < 2, "one is less")
    def test_skip_if(self):
        self.fail()

    @unittest.skipUnless(1 < 2, "one is less")
    def test_runs(self):
        assert 1 == 1

    def test_by_itself(self):
        self.skipTest("not now")
