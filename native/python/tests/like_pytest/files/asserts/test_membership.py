"""`in` and `not in`."""


def test_in_list():
    names = ["pin", "led"]
    assert "adc" in names


def test_not_in_tuple():
    numbers = (1, 2, 3)
    assert 2 not in numbers


def test_in_text():
    text = "temperature"
    assert "rat" in text
