"""isinstance and its like."""


def test_int():
    value = 3
    assert isinstance(value, int)


def test_callable():
    assert callable(len)


def test_hasattr():
    assert hasattr("x", "upper")


def test_not_a_list():
    value = (1, 2)
    assert not isinstance(value, tuple), "a tuple"
