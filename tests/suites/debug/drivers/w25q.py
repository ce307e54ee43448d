# Flash by Winbond's W25Q, as a block device.
from micropython import const

from fakes import SPI, Pin

_BUSY = const(1)
_BLOCK = const(16)
_PAGE = const(8)


class Flash:
    READ, ERASE, WRITE, ENABLE, STATUS, ID = 0x03, 0x20, 0x02, 0x06, 0x05, 0x9F

    def __init__(self, spi, cs, blocks=4):
        self.spi, self.cs, self.blocks = spi, cs, blocks

    def command(self, code, address=None, data=b"", size=0):
        head = bytes([code]) + (b"" if address is None else address.to_bytes(3, "big"))
        self.cs(0)
        self.spi.write(head + data)
        answer = self.spi.read(size) if size else None
        self.cs(1)
        return answer

    def wait(self):
        while self.command(self.STATUS, size=1)[0] & _BUSY:
            pass

    def change(self, code, address, data=b""):
        self.command(self.ENABLE)
        self.command(code, address, data)
        self.wait()

    def readblocks(self, block, buf, offset=0):
        buf[:] = self.command(self.READ, block * _BLOCK + offset, size=len(buf))

    def writeblocks(self, block, buf, offset=None):
        if offset is None:
            self.ioctl(6, block)
            offset = 0
        at = block * _BLOCK + offset
        while len(buf):
            room = _PAGE - at % _PAGE
            self.change(self.WRITE, at, buf[:room])
            buf, at = buf[room:], at + room

    def ioctl(self, op, arg):
        if op == 4:
            return self.blocks
        if op == 5:
            return _BLOCK
        if op == 6:
            self.change(self.ERASE, arg * _BLOCK)
            return 0


def demo():
    flash = Flash(SPI(b"\xef\x40\x18", b"\1", b"\0", b"\0", b"\1", b"\1", b"\0", b"Flylead!"), Pin("cs"))
    print(flash.command(Flash.ID, size=3), flash.ioctl(4, 0) * flash.ioctl(5, 0))
    flash.writeblocks(2, b"Flylead! 12")
    flash.ioctl(9, 9)
    buf = bytearray(8)
    flash.readblocks(2, buf, 1)
    print(buf)
