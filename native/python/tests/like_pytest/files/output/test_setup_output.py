"""Output of the setup."""


class TestOutput:
    def setup_method(self):
        print("setting up")

    def teardown_method(self):
        print("tearing down")

    def test_fails(self):
        print("testing")
        value = 7
        assert value == 8
