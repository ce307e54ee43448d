# Humidity by Sensirion's SHT31, with its checksums.
from fakes import I2C


def crc8(data, crc=0xFF):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x31) & 0xFF if crc & 0x80 else crc << 1
    return crc


class ChecksumError(Exception):
    pass


class SHT31:
    COMMANDS = {"low": b"\x2c\x10", "high": b"\x2c\x06"}

    def __init__(self, i2c, addr=0x44):
        self._i2c = i2c
        self._addr = addr

    def words(self, command, count):
        self._i2c.writeto(self._addr, command)
        raw = self._i2c.readfrom(self._addr, 3 * count)
        for start in range(0, len(raw), 3):
            word, crc = raw[start : start + 2], raw[start + 2]
            if crc8(word) != crc:
                raise ChecksumError("%02x for %s" % (crc, word))
            yield word[0] << 8 | word[1]

    def measure(self, quality="high"):
        temperature, humidity = self.words(self.COMMANDS[quality], 2)
        return -45 + 175 * temperature / 65535, 100 * humidity / 65535


def demo():
    def with_crc(*words):
        return b"".join(word + bytes([crc8(word)]) for word in words)

    good, bad = with_crc(b"\x66\x66", b"\x80\x00"), with_crc(b"\x66\x66", b"\x80\x00")[:-1] + b"\x00"
    sensor = SHT31(I2C(x44=[good, bad]))
    print("%.1f %.1f" % sensor.measure(), hex(crc8(b"\xbe\xef")))
    try:
        sensor.measure(quality="low")
    except ChecksumError as error:
        print(error)
