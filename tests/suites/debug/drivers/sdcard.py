# The first commands to an SD card.
from micropython import const

from fakes import SPI, Pin

_CMD_TIMEOUT = const(5)
_R1_IDLE = const(1 << 0)
_R1_ILLEGAL = const(1 << 2)
_TOKEN = const(0xFE)


def crc7(data):
    crc = 0
    for byte in data:
        for bit in range(7, -1, -1):
            feedback = crc >> 6 & 1 ^ byte >> bit & 1
            crc = (crc << 1 & 0x7F) ^ (0x09 if feedback else 0)
    return crc << 1 | 1


class SDCard:
    def __init__(self, spi, cs):
        self.spi, self.cs = spi, cs
        self.token = bytearray(1)
        self.cs(1)
        for _ in range(2):
            self.spi.write(b"\xff\xff")
        for _ in range(_CMD_TIMEOUT):
            if self.cmd(0, 0) == _R1_IDLE:
                break
        else:
            raise OSError("no SD card")
        r = self.cmd(8, 0x01AA, 4)
        self.version = 2 if r == _R1_IDLE else 1 if r == _R1_IDLE | _R1_ILLEGAL else None

    def cmd(self, cmd, arg, final=0, release=True):
        self.cs(0)
        head = bytes([0x40 | cmd]) + arg.to_bytes(4, "big")
        self.spi.write(head + bytes([crc7(head)]))
        for _ in range(_CMD_TIMEOUT):
            self.spi.readinto(self.token, 0xFF)
            response = self.token[0]
            if not (response & 0x80):
                if final:
                    self.spi.read(final)
                if release:
                    self.cs(1)
                return response
        self.cs(1)
        return -1

    def readblock(self, number, buf):
        if self.cmd(17, number, release=False) != 0:
            self.cs(1)
            raise OSError(5)
        while True:
            self.spi.readinto(self.token, 0xFF)
            if self.token[0] == _TOKEN:
                break
        self.spi.readinto(buf)
        self.cs(1)


def demo():
    spi = SPI(b"\xff", b"\x01", b"\x01", b"\x00\x00\x01\xaa", b"\x00", b"\xff", b"\xfe", b"FAT8", b"\x05")
    card = SDCard(spi, Pin("cs"))
    buf = bytearray(4)
    card.readblock(3, buf)
    print(card.version, buf)
    for make in (lambda: card.readblock(4, buf), lambda: SDCard(SPI(*[b"\xff"] * 30), Pin("cs2"))):
        try:
            make()
        except OSError as error:
            print(error.args[0])
