"""Classes with `__test__ = False`, and functions without the prefix."""


class TestNothing:
    __test__ = False

    def test_never(self):
        assert False


def check_never():
    assert False


def test_always():
    assert True
