"""A class within a class."""


class TestOuter:
    def test_outer(self):
        assert 1 == 1

    class TestInner:
        def test_inner(self):
            assert 1 == 2
