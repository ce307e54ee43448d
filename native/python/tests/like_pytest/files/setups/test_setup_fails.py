"""A setup_method that fails is an error, and no failure."""


class TestBroken:
    def setup_method(self):
        raise ValueError("no pin")

    def test_never(self):
        pass


def test_other():
    assert 2 > 1
