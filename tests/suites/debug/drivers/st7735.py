# A color display by Sitronix' ST7735: a context manager holds the chip select.
import struct

from fakes import SPI, Pin


def color565(red, green=0, blue=0):
    if isinstance(red, (tuple, list)):
        red, green, blue = red[:3]
    return (red & 0xF8) << 8 | (green & 0xFC) << 3 | blue >> 3


class Selected:
    def __init__(self, pin):
        self.pin = pin

    def __enter__(self):
        self.pin.off()

    def __exit__(self, *about):
        self.pin.on()


class ST7735:
    _INIT = (
        (0x01, None),
        (0x11, None),
        (0x3A, b"\x05"),
        (0x29, None),
    )
    _ENCODE_POS = ">HH"

    def __init__(self, spi, dc, cs, width=128, height=160):
        self.spi, self.dc = spi, dc
        self.selected = Selected(cs)
        self.width, self.height = width, height
        for command, data in self._INIT:
            self.write(command, data)

    def write(self, command=None, data=None):
        with self.selected:
            if command is not None:
                self.dc(0)
                self.spi.write(bytes([command]))
            if data is not None:
                self.dc(1)
                self.spi.write(data)

    def block(self, x0, y0, x1, y1, data=None):
        for command, ends in ((0x2A, (x0, x1)), (0x2B, (y0, y1))):
            self.write(command, struct.pack(self._ENCODE_POS, *ends))
        self.write(0x2C, data)

    def fill_rectangle(self, x, y, width, height, color):
        x = min(self.width - 1, max(0, x))
        y = min(self.height - 1, max(0, y))
        self.block(x, y, x + width - 1, y + height - 1)
        chunks, rest = divmod(width * height, 8)
        pixel = struct.pack(">H", color)
        if chunks:
            data = pixel * 8
            for _ in range(chunks):
                self.write(None, data)
        if rest:
            self.write(None, pixel * rest)


def demo():
    display = ST7735(SPI(), dc=Pin("dc"), cs=Pin("cs"))
    display.fill_rectangle(-3, 7, 5, 2, color565(255, 128, 0))
    print(hex(color565((0, 0, 255))))
    try:
        display.block(0, 0, 1, "x")
    except Exception as error:
        print(type(error))
