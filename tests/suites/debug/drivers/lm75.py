# Temperatures by NXP's LM75, as an iterator and a context manager.
from fakes import I2C


class LM75:
    def __init__(self, i2c, addr=0x48):
        self.i2c = i2c
        self.addr = addr

    def __enter__(self):
        self.i2c.writeto_mem(self.addr, 1, b"\0")
        return self

    def __exit__(self, kind, error, trace):
        self.i2c.writeto_mem(self.addr, 1, b"\1")
        return kind is OSError

    def __iter__(self):
        return self

    def __next__(self):
        try:
            high, low = self.i2c.readfrom_mem(self.addr, 0, 2)
        except IndexError:
            raise StopIteration
        return (high - 256 if high > 127 else high) + (low >> 7) * 0.5


def average(values, count=0, total=0):
    for value in values:
        count, total = count + 1, total + value
    return total / count if count else None


def demo():
    bus = I2C(x48={0: [b"\x17\x80", b"\xff\x80", b"\x00\x00"]})
    with LM75(bus) as sensor:
        print(next(sensor))
        print(average(sensor))
        print(average(sensor))
        LM75(bus, addr=0x4F).__enter__()
    print("slept")
