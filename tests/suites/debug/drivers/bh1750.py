# Light by Rohm's BH1750, with a decorator that tries again.
from fakes import I2C


def again(times, error=OSError):
    def decorate(function):
        def tried(*args, **kwargs):
            for left in range(times, 0, -1):
                try:
                    return function(*args, **kwargs)
                except error as what:
                    print("again:", what, left)
                    last = what
            raise last

        return tried

    return decorate


class BH1750:
    ONCE = 0x20
    MODES = {"high": 0, "higher": 1, "low": 3}

    def __init__(self, i2c, addr=0x23):
        self.i2c = i2c
        self.addr = addr

    @again(3)
    def lux(self, mode="high"):
        self.i2c.writeto(self.addr, bytes([self.ONCE | self.MODES[mode]]))
        high, low = self.i2c.readfrom(self.addr, 2)
        if not high and not low:
            raise OSError(5)
        return (high << 8 | low) / 1.2 / (2 if mode == "higher" else 1)


def demo():
    sensor = BH1750(I2C(x23=[b"\x01\x68", b"\0\0", b"\x04\xb0", b"\0\0", b"\0\0", b"\0\0"]))
    print(sensor.lux())
    print(sensor.lux(mode="higher"))
    try:
        print(sensor.lux())
    except OSError as error:
        print("given up:", error.args[0])
