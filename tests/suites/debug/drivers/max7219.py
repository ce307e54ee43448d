# Eight by eight lights at Maxim's MAX7219.
from fakes import SPI, Pin


class Matrix:
    def __init__(self, spi, cs, count=1):
        self.spi = spi
        self.cs = cs
        self.count = count
        self.rows = [[0] * count for _ in range(8)]
        for command, value in ((12, 0), (15, 0), (11, 7), (9, 0), (12, 1)):
            self._all(command, value)

    def _all(self, command, value):
        self._send((command, value) for _ in range(self.count))

    def _send(self, pairs):
        self.cs(0)
        for command, value in pairs:
            self.spi.write(bytes([command, value]))
        self.cs(1)

    def pixel(self, x, y, on=True):
        part, bit = divmod(x, 8)
        row = self.rows[y]
        row[part] = row[part] | 0x80 >> bit if on else row[part] & ~(0x80 >> bit)

    def line(self, pixels):
        [self.pixel(x, y) for x, y in pixels]

    def show(self):
        for y, row in enumerate(self.rows):
            self._send([(y + 1, value) for value in row])


def demo():
    matrix = Matrix(SPI(), Pin("cs", Pin.OUT), count=2)
    matrix.line(zip(range(0, 16, 5), range(8)))
    matrix.pixel(5, 1, on=False)
    matrix.show()
