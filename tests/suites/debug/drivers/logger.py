# A logger of experiments: files of its own kind, checksums, a ring of the last lines.
import json
from collections import OrderedDict, deque

from fakes import ADC


class Ring:
    def __init__(self, size):
        self._lines = deque((), size)

    def __call__(self, line):
        self._lines.append(line)

    def __iter__(self):
        while self._lines:
            yield self._lines.popleft()


class Logger:
    def __init__(self, *sinks, every=1):
        self.sinks = sinks
        self.every = every
        self._count = 0
        self._channels = OrderedDict()

    def channel(self, name, read, scale=1.0, offset=0.0):
        self._channels[name] = lambda: read() * scale + offset

    def sample(self):
        self._count += 1
        if self._count % self.every:
            return
        row = OrderedDict(n=self._count)
        for name, read in self._channels.items():
            try:
                row[name] = round(read(), 2)
            except IndexError:
                row[name] = None
        line = json.dumps(row)
        for sink in self.sinks:
            sink(line)
        return line


def checksum(text, a=1, b=0):
    for byte in text.encode():
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def demo():
    ring = Ring(2)
    sums = []
    logger = Logger(ring, lambda line: sums.append(checksum(line)), every=2)
    logger.channel("volts", ADC(1000, 2000, 3000).read_u16, scale=3.3 / 65535)
    logger.channel("zero", lambda: 0, offset=-1.5)
    for _ in range(9):
        logger.sample()
    print(*ring, sep="\n")
    print(sums, list(ring))
