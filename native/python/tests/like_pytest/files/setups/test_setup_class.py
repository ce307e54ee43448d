"""setup_class and teardown_class."""

calls = []


class TestClass:
    @classmethod
    def setup_class(cls):
        cls.value = 3
        calls.append("up")

    @classmethod
    def teardown_class(cls):
        calls.append("down")

    def test_a(self):
        assert self.value == 3

    def test_b(self):
        assert self.value == 4


def test_after():
    assert calls == ["up", "down"]
