# Acceleration by InvenSense's MPU-6050.
import struct
from collections import namedtuple

from fakes import I2C

try:
    from micropython import const
except ImportError:
    const = int

_POWER = const(0x6B)
_RANGE = const(0x1C)
_DATA = const(0x3B)
_WHO_AM_I = const(0x75)

Vector = namedtuple("Vector", ("x", "y", "z"))


class MPU6050:
    SCALES = {2: 16384, 4: 8192, 8: 4096, 16: 2048}

    def __init__(self, i2c, *, addr=0x68, g=2):
        self.i2c, self.addr = i2c, addr
        if self._byte(_WHO_AM_I) != 0x68:
            raise RuntimeError("no MPU-6050 at 0x%x" % addr)
        self._byte(_POWER, 0)
        self.range = g

    def _byte(self, reg, value=None):
        if value is None:
            return self.i2c.readfrom_mem(self.addr, reg, 1)[0]
        self.i2c.writeto_mem(self.addr, reg, bytes([value]))

    @property
    def range(self):
        return self._g

    @range.setter
    def range(self, g):
        if g not in self.SCALES:
            raise ValueError(g)
        self._g = g
        self._byte(_RANGE, sorted(self.SCALES).index(g) << 3)

    def acceleration(self):
        scale = self.SCALES[self._g]
        raw = struct.unpack(">3h", self.i2c.readfrom_mem(self.addr, _DATA, 6))
        return Vector(*(round(one / scale, 3) for one in raw))


def demo():
    data = [struct.pack(">3h", 0, -8192, 16384), struct.pack(">3h", 100, -200, 4096)]
    i2c = I2C(x68={_WHO_AM_I: b"\x68", _DATA: data})
    sensor = MPU6050(i2c)
    print(sensor.acceleration())
    sensor.range = 8
    print(sensor.range, sensor.acceleration().z)
    try:
        sensor.range = 3
    except ValueError as error:
        print("not", error.args[0])
    try:
        MPU6050(I2C(x69={_WHO_AM_I: b"\x00"}), addr=0x69)
    except RuntimeError as error:
        print(error)
