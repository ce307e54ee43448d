"""Calls of methods."""


class Sensor:
    def __repr__(self):
        return "<sensor>"

    def read(self, channel, scale=1):
        return channel * scale


def test_positional():
    sensor = Sensor()
    assert sensor.read(3) == 4


def test_keyword():
    sensor = Sensor()
    assert sensor.read(3, scale=2) == 7


def test_right():
    assert Sensor().read(2, 2) == 4
