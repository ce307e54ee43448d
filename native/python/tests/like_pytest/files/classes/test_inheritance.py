"""Tests that a class inherits."""


class Base:
    limit = 0

    def test_limit(self):
        assert self.limit == 2


class TestLow(Base):
    limit = 1


class TestHigh(Base):
    limit = 2

    def test_more(self):
        assert self.limit > 1
