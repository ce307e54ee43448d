"""A setup_class that fails."""


class TestBroken:
    @classmethod
    def setup_class(cls):
        raise ValueError("no bus")

    def test_a(self):
        pass

    def test_b(self):
        pass
