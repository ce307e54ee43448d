"""`is`, `is not`, and None."""


def find(name):
    return {"a": 1}.get(name)


def test_is_none():
    assert find("a") is None


def test_is_not_none():
    assert find("b") is not None


def test_same():
    x = [1]
    y = x
    assert x is y
