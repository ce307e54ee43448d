// Modules for common parts: NeoPixels, thermometers, a display.

const neopixel = String.raw`
import _pins
from _pins import show

class NeoPixel:
    ORDER = (1, 0, 2, 3)

    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin, self.n, self.bpp, self.timing = pin, n, bpp, timing
        self.buf = bytearray(n * bpp)
        self.write()

    def __len__(self):
        return self.n

    def __setitem__(self, index, color):
        at = self._at(index)
        for i in range(self.bpp):
            self.buf[at + self.ORDER[i]] = color[i]

    def __getitem__(self, index):
        at = self._at(index)
        return tuple(self.buf[at + self.ORDER[i]] for i in range(self.bpp))

    def _at(self, index):
        if not -self.n <= index < self.n:
            raise IndexError("bytearray index out of range")
        return index % self.n * self.bpp

    def fill(self, color):
        for index in range(self.n):
            self[index] = color

    def write(self):
        number = self.pin._number
        show("in:%d" % number, "")
        show("out:%d" % number, "")
        show("neo:%d" % number, "".join("%02x%02x%02x" % tuple(min(255, part + (self[i][3] if self.bpp == 4 else 0)) for part in self[i][:3]) for i in range(min(self.n, 512))))

_pins.tidy(globals())
`;

const dht = String.raw`
import _pins
from _pins import show

class DHTBase:
    def __init__(self, pin):
        self.pin, self._read = pin, (0, 0)
        show("in:%d" % pin._number, "")
        show("dht:%d" % pin._number, "1")

    def measure(self):
        self._read = (_pins.temperature(), _pins.humidity())

class DHT11(DHTBase):
    def temperature(self):
        return int(self._read[0])

    def humidity(self):
        return int(self._read[1])

class DHT22(DHTBase):
    def temperature(self):
        return self._read[0]

    def humidity(self):
        return self._read[1]

_pins.tidy(globals())
`;

const onewire = String.raw`
import _pins
from _pins import show

class OneWireError(Exception):
    pass

class OneWire:
    def __init__(self, pin):
        self.pin = pin
        show("in:%d" % pin._number, "")
        show("ds:%d" % pin._number, "1")

    def scan(self):
        return [bytearray(b"\x28\xff\x64\x1e\x01\x00\x00\x5a")]

    def reset(self, required=False):
        return True
`;

const ds18x20 = String.raw`
import _pins

class DS18X20:
    def __init__(self, onewire):
        self.ow, self._read = onewire, 85.0

    def scan(self):
        return self.ow.scan()

    def convert_temp(self):
        self._read = _pins.temperature()

    def read_temp(self, rom):
        return round(self._read * 16) / 16
`;

const ssd1306 = String.raw`
from framebuf import FrameBuffer, MONO_VLSB

class SSD1306(FrameBuffer):
    def __init__(self, width, height, external_vcc=False):
        self.width, self.height, self.pages = width, height, height // 8
        self.buffer = bytearray(self.pages * width)
        super().__init__(self.buffer, width, height, MONO_VLSB)
        for command in (0xAE, 0x20, 0, 0x40, 0xA1, 0xA8, height - 1, 0xC8, 0xD3, 0, 0xDA, 0x02 if width > 2 * height else 0x12, 0xD5, 0x80, 0xD9, 0x22 if external_vcc else 0xF1, 0xDB, 0x30, 0x81, 0xFF, 0xA4, 0xA6, 0x8D, 0x10 if external_vcc else 0x14, 0xAF):
            self.write_cmd(command)
        self.fill(0)
        self.show()

    def poweroff(self):
        self.write_cmd(0xAE)

    def poweron(self):
        self.write_cmd(0xAF)

    def contrast(self, contrast):
        self.write_cmd(0x81)
        self.write_cmd(contrast)

    def invert(self, invert):
        self.write_cmd(0xA6 | (invert & 1))

    def show(self):
        left = (128 - self.width) // 2
        for command in (0x21, left, left + self.width - 1, 0x22, 0, self.pages - 1):
            self.write_cmd(command)
        self.write_data(self.buffer)

class SSD1306_I2C(SSD1306):
    def __init__(self, width, height, i2c, addr=0x3C, external_vcc=False):
        self.i2c, self.addr = i2c, addr
        super().__init__(width, height, external_vcc)

    def write_cmd(self, command):
        self.i2c.writeto(self.addr, bytes((0x80, command)))

    def write_data(self, data):
        self.i2c.writevto(self.addr, (b"\x40", data))

class SSD1306_SPI(SSD1306):
    def __init__(self, *rest, **named):
        from _pins import refuse
        refuse("display at SPI")
`;

export const LIBRARIES = { neopixel, dht, onewire, ds18x20, ssd1306 };
