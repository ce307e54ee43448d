# A memory of 4 KiB, by Atmel's AT24C32, in pages of 32 bytes.
import struct

from fakes import I2C


class Chip(dict):
    """Bytes that the chip stores."""

    def __init__(self):
        super().__init__()
        self.data = bytearray(b"\xff" * 256)
        self.at = 0

    def pop(self, _):
        piece = bytes(self.data[self.at : self.at + 32])
        self.at += 32
        return piece


class Bus(I2C):
    def writeto(self, addr, buf):
        chip = self._device(addr)
        (chip.at,) = struct.unpack(">H", buf[:2])
        chip.data[chip.at : chip.at + len(buf) - 2] = buf[2:]
        return super().writeto(addr, buf)


class EEPROM:
    PAGE = 32

    def __init__(self, i2c, addr=0x50):
        self.i2c, self.addr = i2c, addr

    def _pieces(self, at, data):
        while data:
            room = self.PAGE - at % self.PAGE
            yield at, data[:room]
            at += room
            data = data[room:]

    def write(self, at, data):
        for place, piece in self._pieces(at, data):
            self.i2c.writeto(self.addr, struct.pack(">H", place) + piece)

    def read(self, at, size):
        self.i2c.writeto(self.addr, struct.pack(">H", at))
        data = b""
        while len(data) < size:
            buf = bytearray(32)
            self.i2c.readfrom_into(self.addr, buf)
            data += buf
        return data[:size]


def demo():
    memory = EEPROM(Bus(x50=Chip()))
    memory.write(25, b"Flylead was here: 1234567890")
    print(memory.read(20, 40))
