"""Methods of a class that are no tests."""


class TestHelpers:
    def make(self, n):
        return list(range(n))

    def test_made(self):
        assert self.make(2) == [0, 1]

    def test_made_badly(self):
        assert self.make(2) == [0, 2]
