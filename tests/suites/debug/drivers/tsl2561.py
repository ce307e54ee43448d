# Light by TAOS' TSL2561: a table of segments, searched by a generator expression.
from micropython import const

from fakes import I2C

_CMD = const(0x80)
_WORD = const(0x20)
_CH_SCALE = const(10)
_RATIO_SCALE = const(9)

SEGMENTS = (
    (0x0040, 0x01F2, 0x01BE),
    (0x0080, 0x0214, 0x02D1),
    (0x00C0, 0x023F, 0x037B),
    (0x0100, 0x0270, 0x03FE),
    (0x0138, 0x016F, 0x01FC),
    (0x019A, 0x00D2, 0x00FB),
    (0x029A, 0x0018, 0x0012),
)


class TSL2561:
    def __init__(self, i2c, address=0x39):
        self.i2c, self.address = i2c, address
        self.active(True)

    def active(self, on=None):
        if on is None:
            return self._active
        self._active = on
        self.i2c.writeto_mem(self.address, _CMD, b"\x03" if on else b"\x00")

    def _channel(self, register):
        low, high = self.i2c.readfrom_mem(self.address, _CMD | _WORD | register, 2)
        return high << 8 | low

    def read(self, raw=False):
        broad, infrared = self._channel(0x0C), self._channel(0x0E)
        if raw:
            return broad, infrared
        return self._lux((broad << 4), (infrared << 4))

    @staticmethod
    def _lux(broad, infrared):
        ratio = (infrared << _RATIO_SCALE + 1) // broad if broad else 0
        ratio = ratio + 1 >> 1
        b, m = next(((b, m) for limit, b, m in SEGMENTS if ratio <= limit), (0, 0))
        value = broad * b - infrared * m
        return max(0, value) + (1 << 13) >> 14


def demo():
    bus = {_CMD | _WORD | 0x0C: b"\x10\x27", _CMD | _WORD | 0x0E: [b"\xe8\x03", b"\xe8\x03", b"\xff\xff"]}
    sensor = TSL2561(I2C(x39=bus))
    print(sensor.active(), sensor.read(raw=True), sensor.read(), sensor.read())
    sensor.active(False)
