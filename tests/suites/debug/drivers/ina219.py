# Currents by TI's INA219.
from micropython import const

from fakes import I2C

_REG_CONFIG = const(0x00)
_REG_SHUNT = const(0x01)
_REG_BUS = const(0x02)
_REG_POWER = const(0x03)
_REG_CURRENT = const(0x04)
_REG_CALIBRATION = const(0x05)
_RESET = const(1 << 15)
_MODE = const(7)


class DeviceRangeError(Exception):
    def __init__(self, volts, limit):
        self.volts = volts
        self.limit = limit

    def __str__(self):
        return "%.1f V exceeds %d V" % (self.volts, self.limit)


class INA219:
    def __init__(self, ohms, i2c, address=0x40, limit=26):
        self._i2c = i2c
        self._address = address
        self._ohms = ohms
        self._limit = limit
        self._lsb = None

    def configure(self, most=2.0):
        self._lsb = most / 32767
        self._write(_REG_CONFIG, _RESET)
        self._write(_REG_CALIBRATION, int(0.04096 / (self._lsb * self._ohms)))
        self._write(_REG_CONFIG, 0x3998 | _MODE)

    def voltage(self):
        value = (self._read(_REG_BUS) >> 3) * 4 / 1000
        if value > self._limit:
            raise DeviceRangeError(value, self._limit)
        return value

    def current(self):
        return self._signed(_REG_CURRENT) * self._lsb * 1000

    def power(self):
        return self._read(_REG_POWER) * self._lsb * 20

    def shunt_voltage(self):
        return self._signed(_REG_SHUNT) / 100

    def _signed(self, register):
        value = self._read(register)
        return value if value < 1 << 15 else value - (1 << 16)

    def _read(self, register):
        high, low = self._i2c.readfrom_mem(self._address, register, 2)
        return high << 8 | low

    def _write(self, register, value):
        self._i2c.writeto_mem(self._address, register, bytes((value >> 8, value & 0xFF)))


def demo():
    i2c = I2C(x40={_REG_SHUNT: b"\xff\x38", _REG_BUS: [b"\x1f\x42", b"\xff\xf8"], _REG_POWER: b"\x01\x00", _REG_CURRENT: b"\x10\x00"})
    ina = INA219(0.1, i2c)
    ina.configure()
    print(ina.voltage(), ina.shunt_voltage(), round(ina.current(), 2), round(ina.power(), 4))
    try:
        ina.voltage()
    except DeviceRangeError as error:
        print(error, error.limit)
