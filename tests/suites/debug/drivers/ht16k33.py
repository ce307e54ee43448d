# Four digits of seven segments, at Holtek's HT16K33.
from fakes import I2C

CHARS = (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F)
POSITIONS = (0, 2, 6, 8)


class HT16K33:
    def __init__(self, i2c, address=0x70):
        self.i2c, self.address = i2c, address
        self.buffer = bytearray(16)
        self._temp = bytearray(1)
        self._write(0x21)
        self.blink_rate(0)
        self.brightness(15)

    def _write(self, data):
        self._temp[0] = data
        self.i2c.writeto(self.address, self._temp)

    def blink_rate(self, rate=None):
        if rate is None:
            return self._blink
        self._blink = rate & 3
        self._write(0x81 | rate << 1)

    def brightness(self, value=None):
        if value is None:
            return self._brightness
        self._brightness = value & 15
        self._write(0xE0 | value)

    def show(self):
        self.i2c.writeto_mem(self.address, 0, self.buffer)


class Seg7(HT16K33):
    def put(self, char, index=0):
        if not 0 <= index <= 3:
            return
        at = POSITIONS[index]
        if char in "0123456789":
            self.buffer[at] = CHARS[int(char)]
        elif char == "-":
            self.buffer[at] = 0x40
        elif char == ".":
            self.buffer[at] |= 0x80
        else:
            self.buffer[at] = 0

    def push(self, char):
        if char in ":;":
            self.buffer[4] = 2 if char == ":" else 0
        elif char != ".":
            for i in range(3):
                self.buffer[POSITIONS[i]] = self.buffer[POSITIONS[i + 1]]
            self.put(char, 3)
        else:
            self.put(char, 3)

    def text(self, text):
        for char in text:
            self.push(char)


def demo():
    display = Seg7(I2C(x70={}))
    display.text("-12.5:x")
    display.put("7", 9)
    display.show()
    display.blink_rate(2)
    print(display.blink_rate(), display.brightness())
