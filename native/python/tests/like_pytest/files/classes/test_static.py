"""Static methods and class methods as tests."""


class TestStatic:
    @staticmethod
    def test_static():
        assert 1 + 1 == 2

    @classmethod
    def test_class(cls):
        assert cls.__name__ == "TestOther"
