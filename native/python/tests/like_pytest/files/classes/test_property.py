"""Properties in an assert."""


class Thermometer:
    def __init__(self, raw):
        self.raw = raw

    @property
    def celsius(self):
        return self.raw / 2

    def __repr__(self):
        return "Thermometer"


def test_celsius():
    thermometer = Thermometer(43)
    assert thermometer.celsius == 21
