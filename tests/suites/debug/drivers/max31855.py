# Thermocouples at Maxim's MAX31855: faults are classes of exceptions.
from fakes import SPI, Pin


class Fault(Exception):
    bit = 0


class Open(Fault):
    bit = 1


class ShortToGround(Fault):
    bit = 2


class ShortToSupply(Fault):
    bit = 4


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


class MAX31855:
    FAULTS = Open, ShortToGround, ShortToSupply

    def __init__(self, spi, cs):
        self.spi, self.cs = spi, cs

    def _raw(self):
        self.cs.off()
        raw = int.from_bytes(self.spi.read(4), "big")
        self.cs.on()
        if raw & 0x10000:
            for fault in self.FAULTS:
                if raw & fault.bit:
                    raise fault(hex(raw))
        return raw

    def read(self, internal=False):
        raw = self._raw()
        if internal:
            return signed(raw >> 4 & 0xFFF, 12) / 16
        return signed(raw >> 18, 14) / 4


def demo():
    answers = (b"\x06\x4c\x19\x00", b"\x06\x4c\x19\x00", b"\xf0\x60\xc9\x00", b"\x00\x01\x00\x02", b"\x00\x01\x00\x04")
    sensor = MAX31855(SPI(*answers), Pin("cs"))
    print(sensor.read(), sensor.read(internal=True), sensor.read())
    for kind in (ShortToGround, Open):
        try:
            sensor.read()
        except kind as error:
            print(kind.__name__, error)
        except Fault as error:
            print("another fault:", type(error).__name__)
