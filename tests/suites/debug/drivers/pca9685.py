# Servos at NXP's PCA9685.
import struct

from fakes import I2C


class PCA9685:
    def __init__(self, i2c, address=0x40):
        self.i2c = i2c
        self.address = address
        self.reset()

    def _write(self, register, value):
        self.i2c.writeto_mem(self.address, register, bytearray([value]))

    def _read(self, register):
        return self.i2c.readfrom_mem(self.address, register, 1)[0]

    def reset(self):
        self._write(0x00, 0x00)

    def freq(self, freq=None):
        if freq is None:
            return int(25000000.0 / 4096 / (self._read(0xFE) - 0.5))
        prescale = int(25000000.0 / 4096.0 / freq + 0.5)
        old = self._read(0x00)
        for register, value in ((0x00, (old & 0x7F) | 0x10), (0xFE, prescale), (0x00, old), (0x00, old | 0xA1)):
            self._write(register, value)

    def pwm(self, index, on=None, off=None):
        if on is None or off is None:
            data = self.i2c.readfrom_mem(self.address, 0x06 + 4 * index, 4)
            return struct.unpack("<HH", data)
        self.i2c.writeto_mem(self.address, 0x06 + 4 * index, struct.pack("<HH", on, off))

    def duty(self, index, value=None, invert=False):
        if value is None:
            pwm = self.pwm(index)
            value = 0 if pwm == (0, 4096) else 4095 if pwm == (4096, 0) else pwm[1]
            return 4095 - value if invert else value
        if not 0 <= value <= 4095:
            raise ValueError("out of range")
        if invert:
            value = 4095 - value
        if value == 0:
            self.pwm(index, 0, 4096)
        elif value == 4095:
            self.pwm(index, 4096, 0)
        else:
            self.pwm(index, 0, value)


class Servos:
    def __init__(self, pca, low=600, high=2400, degrees=180):
        self.pca = pca
        self.us = lambda duty: int(4095 * duty / 20000)
        self.low, self.high, self.degrees = low, high, degrees

    def position(self, index, degrees):
        span = self.high - self.low
        duty = self.us(self.low + span * degrees / self.degrees)
        self.pca.duty(index, min(self.us(self.high), max(self.us(self.low), int(duty))))


def demo():
    pca = PCA9685(I2C(x40={}))
    pca.freq(50)
    print(pca.freq())
    servos = Servos(pca)
    for at in (0, 90, 200):
        servos.position(at // 90, at)
    pca.duty(7, 4095)
    print(pca.duty(7), pca.duty(7, invert=True))
    try:
        pca.duty(1, 5000)
    except ValueError as error:
        print(error)
