"""Setup functions without their argument."""

calls = []


def setup_module():
    calls.append("module")


def setup_function():
    calls.append("function")


class TestMethods:
    def setup_method(self):
        calls.append("method")

    def test_method(self):
        assert calls == ["module", "method", "x"]


def test_function():
    assert calls[-1] == "function"
