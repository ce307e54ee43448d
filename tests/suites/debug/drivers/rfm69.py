# Packets over HopeRF's RFM69: registers as descriptors by name, and an interrupt at a pin.
from fakes import SPI, Pin


class Fields:
    NAMES = {"mode": (0x01, 2, 7), "version": (0x10, 0, 255), "sync": (0x2E, 3, 7)}


class RFM69(Fields):
    def __init__(self, spi, cs, done):
        self.spi, self.cs = spi, cs
        self.sent = []
        done.irq(self._done, Pin.IRQ_RISING)

    def _transfer(self, data, size=0):
        self.cs(0)
        try:
            self.spi.write(data)
            return self.spi.read(size) if size else None
        finally:
            self.cs(1)

    def get(self, name):
        register, shift, mask = self.NAMES[name]
        return self._transfer(bytes([register]), 1)[0] >> shift & mask

    def set(self, **fields):
        for name in sorted(fields):
            register, shift, mask = self.NAMES[name]
            old = self._transfer(bytes([register]), 1)[0]
            new = old & ~(mask << shift) | fields[name] << shift
            self._transfer(bytes([0x80 | register, new & 0xFF]))

    def send(self, payload, *, to=0xFF):
        assert 0 < len(payload) < 60, "a packet has 1 to 59 bytes"
        self._transfer(bytes([0x80, len(payload) + 1, to]) + payload)
        self.set(mode=3)
        self.sent.append(payload)

    def _done(self, pin):
        print("sent", self.sent.pop(), pin.name)
        self.set(mode=1)


def demo():
    done = Pin("dio0")
    radio = RFM69(SPI(b"\x24", b"\x04", b"\x0c", b"\x88"), Pin("cs"), done)
    print(radio.get("version"))
    radio.send(b"hello", to=7)
    done.edge(1)
    radio.set(sync=2)
    try:
        radio.send(b"")
    except AssertionError as error:
        print(error)
