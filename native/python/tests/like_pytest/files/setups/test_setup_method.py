"""setup_method and teardown_method."""

calls = []


class TestMethods:
    def setup_method(self, method):
        calls.append("up")
        self.value = len(calls)

    def teardown_method(self, method):
        calls.append("down")

    def test_a(self):
        assert self.value == 1

    def test_b(self):
        assert calls == ["up", "down", "up", "x"]
