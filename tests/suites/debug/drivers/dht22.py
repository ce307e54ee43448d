# Humidity by Aosong's DHT22: forty bits, each by the length of a pulse.
class InvalidChecksum(Exception):
    pass


class InvalidPulseCount(Exception):
    pass


class DHT:
    SIZE = 5

    def __init__(self, pulses):
        self._pulses = pulses
        self.buf = bytearray(self.SIZE)

    def measure(self):
        pulses = self._pulses()
        if len(pulses) != 8 * self.SIZE:
            raise InvalidPulseCount("expected %d pulses, got %d" % (8 * self.SIZE, len(pulses)))
        self.buf = bytearray(self._bytes(1 if length > 50 else 0 for length in pulses))
        if sum(self.buf[:4]) & 0xFF != self.buf[4]:
            raise InvalidChecksum()

    @staticmethod
    def _bytes(bits):
        value = count = 0
        for bit in bits:
            value = value << 1 | bit
            count += 1
            if count == 8:
                yield value
                value = count = 0


class DHT22(DHT):
    def humidity(self):
        return (self.buf[0] << 8 | self.buf[1]) * 0.1

    def temperature(self):
        value = ((self.buf[2] & 0x7F) << 8 | self.buf[3]) * 0.1
        if self.buf[2] & 0x80:
            value = -value
        return value


def pulses(data):
    lengths = []
    for byte in data:
        for bit in range(7, -1, -1):
            lengths.append(70 if byte >> bit & 1 else 26)
    return lengths


def demo():
    recorded = [pulses(b"\x02\x92\x01\x0d\xa2"), pulses(b"\x02\x92\x81\x0d\x22"), pulses(b"\1\2\3\4\5"), [26] * 39]
    sensor = DHT22(lambda: recorded.pop(0))
    for _ in range(4):
        try:
            sensor.measure()
            print("%.1f %.1f" % (sensor.temperature(), sensor.humidity()))
        except (InvalidChecksum, InvalidPulseCount) as error:
            print(type(error).__name__, *error.args)
