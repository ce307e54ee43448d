"""A teardown_method that fails: passed, and an error."""


class TestBroken:
    def teardown_method(self):
        raise ValueError("stuck")

    def test_passes(self):
        assert 1 == 1
