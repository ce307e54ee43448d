# A display of 128 by 32 pixels, by Solomon's SSD1306.
from micropython import const

from fakes import I2C

SET_CONTRAST = const(0x81)
SET_DISPLAY = const(0xAE)
SET_PAGES = const(0x22)
SET_COLUMNS = const(0x21)


class Buffer:
    def __init__(self, width, height):
        self.width = width
        self.height = height
        self.data = bytearray(width * height // 8)

    def fill(self, color):
        for i in range(len(self.data)):
            self.data[i] = 0xFF if color else 0

    def pixel(self, x, y, color=1):
        index, bit = x + (y >> 3) * self.width, 1 << (y & 7)
        if color:
            self.data[index] |= bit
        else:
            self.data[index] &= ~bit


class Display(Buffer):
    def __init__(self, width, height, *rest, **options):
        super().__init__(width, height)
        self.begin(*rest, **options)

    def begin(self, contrast=0xCF):
        for command in (SET_DISPLAY, SET_CONTRAST, contrast, SET_DISPLAY | 1):
            self.command(command)
        self.show()

    def show(self):
        for command in (SET_COLUMNS, 0, self.width - 1, SET_PAGES, 0, self.height // 8 - 1):
            self.command(command)
        self.send(self.data)


class Display_I2C(Display):
    def __init__(self, width, height, i2c, addr=0x3C, **options):
        self.i2c = i2c
        self.addr = addr
        self._command = bytearray(b"\x80\x00")
        super().__init__(width, height, **options)

    def command(self, command):
        self._command[1] = command
        self.i2c.writeto(self.addr, self._command)

    def send(self, data):
        self.i2c.writeto(self.addr, b"\x40" + data)


def demo():
    display = Display_I2C(16, 16, I2C(x3c={}), contrast=0x10)
    for at in range(8):
        display.pixel(at, at)
        display.pixel(7 - at, at + 8, color=at & 1)
    display.show()
    display.fill(1)
    display.pixel(3, 3, 0)
    display.show()
