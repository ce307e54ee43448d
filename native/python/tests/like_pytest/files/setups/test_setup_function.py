"""setup_function and teardown_function."""

calls = []


def setup_function(function):
    calls.append("up")


def teardown_function(function):
    calls.append("down")


def test_a():
    assert calls == ["up"]


def test_b():
    assert calls == ["up", "down", "up"]


class TestNone:
    def test_c(self):
        assert len(calls) == 5
