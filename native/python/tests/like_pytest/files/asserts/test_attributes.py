"""Attributes of objects."""


class Pin:
    value = 0

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return "Pin({})".format(self.number)


def test_attribute():
    pin = Pin(4)
    assert pin.number == 5


def test_of_class():
    assert Pin(4).value == 1


def test_whole():
    pin = Pin(4)
    assert pin is None
