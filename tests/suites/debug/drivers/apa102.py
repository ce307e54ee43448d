# Colored lights by APA: a sequence with slices, and a wheel of colors.
from fakes import SPI


class Lights:
    ORDER = "bgr"

    def __init__(self, spi, count, brightness=31):
        self._spi = spi
        self._count = count
        self._bright = 0xE0 | brightness
        self._colors = [(0, 0, 0)] * count

    def __len__(self):
        return self._count

    def __getitem__(self, at):
        return self._colors[at]

    def __setitem__(self, at, color):
        if isinstance(at, slice):
            places = range(*(at.start or 0, self._count if at.stop is None else at.stop))
            for place in places:
                self._colors[place] = color
        else:
            self._colors[at] = color

    def show(self):
        self._spi.write(b"\0\0\0\0")
        for red, green, blue in self._colors:
            self._spi.write(bytes((self._bright, blue, green, red)))
        self._spi.write(b"\xff" * (self._count // 16 + 1))


def wheel(at):
    at %= 256
    if at < 85:
        return 255 - 3 * at, 3 * at, 0
    if at < 170:
        return 0, 255 - 3 * (at - 85), 3 * (at - 85)
    return 3 * (at - 170), 0, 255 - 3 * (at - 170)


def demo():
    lights = Lights(SPI(), 4, brightness=3)
    for at in range(len(lights)):
        lights[at] = wheel(at * 80)
    lights.show()
    lights[1:3] = (1, 2, 3)
    lights.show()
    print(lights[0], lights[-2])
