# A clock by Maxim's DS3231: numbers in BCD, and an alarm.
from fakes import I2C


def from_bcd(value):
    return (value >> 4) * 10 + (value & 15)


def to_bcd(value):
    return value // 10 << 4 | value % 10


class DS3231:
    ADDRESS = 0x68

    def __init__(self, i2c):
        self.i2c = i2c
        self._time = bytearray(7)

    def datetime(self, new=None):
        if new is None:
            self.i2c.readfrom_mem_into(self.ADDRESS, 0, self._time)
            second, minute, hour, weekday, day, month, year = map(from_bcd, self._time)
            return (year + 2000, month & 0x1F, day, weekday - 1, hour, minute, second)
        year, month, day, weekday, hour, minute, second = new
        fields = (second, minute, hour, weekday + 1, day, month, year - 2000)
        self.i2c.writeto_mem(self.ADDRESS, 0, bytes(to_bcd(one) for one in fields))

    def temperature(self):
        high, low = self.i2c.readfrom_mem(self.ADDRESS, 0x11, 2)
        whole = high - 256 if high & 0x80 else high
        return whole + (low >> 6) / 4

    def stopped(self):
        return bool(self.i2c.readfrom_mem(self.ADDRESS, 0x0F, 1)[0] & 0x80)


def demo():
    clock = DS3231(I2C(x68={0: b"\x56\x34\x12\x05\x26\x11\x26", 0x11: b"\xe7\xc0", 0x0F: b"\x88"}))
    print(clock.datetime(), clock.temperature(), clock.stopped())
    clock.datetime((2027, 1, 2, 5, 23, 59, 58))
    print(clock.datetime())
