# Air pressure by Bosch's BMP180, with the example of its data sheet.
import struct
from micropython import const

from fakes import I2C

_CONTROL = const(0xF4)
_OUT = const(0xF6)
_CALIBRATION = const(0xAA)
_TEMPERATURE = const(0x2E)
_PRESSURE = const(0x34)


class BMP180:
    def __init__(self, i2c, addr=0x77, oversampling=0):
        self._i2c = i2c
        self._addr = addr
        self.oversampling = oversampling
        raw = i2c.readfrom_mem(addr, _CALIBRATION, 22)
        self._c = struct.unpack(">hhhHHHhhhhh", raw)
        self._b5 = 0

    def _measure(self, command, size):
        self._i2c.writeto_mem(self._addr, _CONTROL, bytes((command,)))
        raw = self._i2c.readfrom_mem(self._addr, _OUT, size)
        value = 0
        for byte in raw:
            value = value << 8 | byte
        return value

    @property
    def temperature(self):
        ac5, ac6 = self._c[4], self._c[5]
        mc, md = self._c[9], self._c[10]
        x1 = (self._measure(_TEMPERATURE, 2) - ac6) * ac5 >> 15
        x2 = (mc << 11) // (x1 + md)
        self._b5 = x1 + x2
        return (self._b5 + 8 >> 4) / 10

    @property
    def pressure(self):
        up = self._measure(_PRESSURE | self.oversampling << 6, 3) >> (8 - self.oversampling)
        ac1, ac2, ac3, ac4 = self._c[:4]
        b1, b2 = self._c[6:8]
        b6 = self._b5 - 4000
        x3 = (b2 * (b6 * b6 >> 12) >> 11) + (ac2 * b6 >> 11)
        b3 = ((ac1 * 4 + x3 << self.oversampling) + 2) // 4
        x3 = (ac3 * b6 >> 13) + (b1 * (b6 * b6 >> 12) >> 16) + 2 >> 2
        b4 = ac4 * (x3 + 32768) >> 15
        b7 = (up - b3) * (50000 >> self.oversampling)
        p = b7 * 2 // b4
        x1 = (p >> 8) * (p >> 8) * 3038 >> 16
        x2 = -7357 * p >> 16
        return p + (x1 + x2 + 3791 >> 4)


def demo():
    calibration = struct.pack(">hhhHHHhhhhh", 408, -72, -14383, 32741, 32757, 23153, 6190, 4, -32768, -8711, 2868)
    i2c = I2C(x77={0xAA: calibration, 0xF6: [b"\x6c\xfa", b"\x5d\x23\x00"]})
    sensor = BMP180(i2c)
    print(sensor.temperature, "degrees")
    print(sensor.pressure, "Pa")
