# Sixteen more pins by Microchip's MCP23017.
from fakes import I2C


class VirtualPin:
    def __init__(self, port, bit):
        self._port = port
        self._bit = bit

    def _flip(self, register, condition):
        mask = 1 << self._bit
        register &= ~mask
        if condition:
            register |= mask
        return register

    def value(self, level=None):
        if level is None:
            return self._port.gpio >> self._bit & 1
        self._port.gpio = self._flip(self._port.gpio, level)

    def input(self, pull=False):
        self._port.mode = self._flip(self._port.mode, True)
        self._port.pullup = self._flip(self._port.pullup, pull)

    def output(self, level=0):
        self.value(level)
        self._port.mode = self._flip(self._port.mode, False)


def register(base):
    """A property of a port, in a register of the chip."""

    def read(self):
        return self._i2c.readfrom_mem(self._addr, base + self._offset, 1)[0]

    def write(self, value):
        self._i2c.writeto_mem(self._addr, base + self._offset, bytes([value & 0xFF]))

    return property(read, write)


class Port:
    mode = register(0x00)
    pullup = register(0x0C)
    gpio = register(0x12)

    def __init__(self, offset, i2c, addr):
        self._offset, self._i2c, self._addr = offset, i2c, addr


class MCP23017:
    def __init__(self, i2c, addr=0x20):
        self.ports = tuple(Port(offset, i2c, addr) for offset in (0, 1))
        self.pins = {}

    def __getitem__(self, number):
        if number not in self.pins:
            self.pins[number] = VirtualPin(self.ports[number >> 3], number & 7)
        return self.pins[number]


def demo():
    chip = MCP23017(I2C(x20={0x00: b"\xff", 0x01: b"\xff", 0x0C: b"\0", 0x0D: b"\0", 0x12: b"\0", 0x13: b"\x80"}))
    chip[3].output(1)
    chip[15].input(pull=True)
    print(chip[3].value(), chip[15].value(), chip[3] is chip[3])
