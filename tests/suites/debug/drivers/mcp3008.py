# Eight voltages by Microchip's MCP3008, and their mean by a closure.
from fakes import SPI, Pin


class MCP3008:
    def __init__(self, spi, cs, ref=3.3):
        self.cs = cs
        self.cs.value(1)
        self._spi = spi
        self._out = bytearray(3)
        self._out[0] = 0x01
        self._in = bytearray(3)
        self._ref = ref

    def reference(self):
        return self._ref

    def read(self, pin, differential=False):
        self.cs.value(0)
        self._out[1] = ((not differential) << 7) | (pin << 4)
        self._spi.write_readinto(self._out, self._in)
        self.cs.value(1)
        return ((self._in[1] & 0x03) << 8) | self._in[2]


def smoothed(read, size):
    values = []
    total = 0

    def mean():
        nonlocal total
        values.append(read())
        total += values[-1]
        if len(values) > size:
            total -= values.pop(0)
        return total / len(values)

    return mean


def demo():
    spi = SPI(*(bytes([0, high, low]) for high, low in ((1, 0), (2, 0), (3, 255), (0xFC, 7))))
    adc = MCP3008(spi, Pin("cs"))
    mean = smoothed(lambda: adc.read(5), 2)
    for _ in range(3):
        print(mean())
    print(adc.read(0, differential=True), adc.reference())
