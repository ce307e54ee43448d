# Two lines of text at Hitachi's HD44780, four bits at a time through NXP's PCF8574.
from fakes import I2C

_RS, _E, _LIGHT = 1, 4, 8


class LCD:
    LINES = 0x00, 0x40

    def __init__(self, i2c, addr=0x27):
        self._i2c = i2c
        self._addr = addr
        self.light = True
        for nibble in (3, 3, 3, 2):
            self._nibble(nibble << 4, 0)
        for command in (0x28, 0x0C, 0x06):
            self.command(command)

    def _nibble(self, value, flags):
        value |= flags | (_LIGHT if self.light else 0)
        for strobe in _E, 0:
            self._i2c.writeto(self._addr, bytes([value | strobe]))

    def _byte(self, value, flags):
        self._nibble(value & 0xF0, flags)
        self._nibble(value << 4 & 0xF0, flags)

    def command(self, value):
        self._byte(value, 0)

    def move(self, column=0, line=0):
        self.command(0x80 | self.LINES[line] + column)

    def write(self, text):
        for char in text:
            self._byte(ord(char) if ord(char) < 128 else 0x3F, _RS)


def demo():
    lcd = LCD(I2C(x27={}))
    lcd.light = False
    lcd.move(2, 1)
    lcd.write("é1")
