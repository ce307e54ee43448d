# Temperatures on a 1-Wire bus: the search of all addresses, and a checksum.
class Wire:
    """A bus with these addresses, as the master sees it bit by bit."""

    def __init__(self, *roms):
        self.roms = roms
        self.left = ()

    def reset(self):
        self.left = self.roms
        return bool(self.roms)

    def read(self, at):
        bits = {rom[at >> 3] >> (at & 7) & 1 for rom in self.left}
        return 0 if 0 in bits else 1, 0 if 1 in bits else 1

    def write(self, at, bit):
        self.left = [rom for rom in self.left if rom[at >> 3] >> (at & 7) & 1 == bit]


def crc8(data):
    crc = 0
    for byte in data:
        for _ in range(8):
            mix = (crc ^ byte) & 1
            crc >>= 1
            crc ^= 0x8C if mix else 0
            byte >>= 1
    return crc


class DS18X20:
    def __init__(self, wire, pads=()):
        self.wire = wire
        self.pads = dict(pads)

    def scan(self):
        found = []
        diff, rom = 65, None
        for _ in range(0xFF):
            rom, diff = self._search(rom, diff)
            if rom:
                found.append(rom)
            if diff == 0:
                break
        return found

    def _search(self, last, diff):
        if not self.wire.reset():
            return None, 0
        rom = bytearray(8)
        next_diff = 0
        at = 64
        for byte in range(8):
            value = 0
            for bit in range(8):
                bit_is, other = self.wire.read(64 - at)
                if not bit_is and not other:
                    if diff > at or (last and last[byte] & 1 << bit and diff != at):
                        bit_is = 1
                        next_diff = at
                self.wire.write(64 - at, bit_is)
                value |= bit_is << bit
                at -= 1
            rom[byte] = value
        return bytes(rom), next_diff

    def read_temp(self, rom):
        pad = self.pads[rom]
        if crc8(pad):
            raise ValueError("CRC error")
        raw = pad[1] << 8 | pad[0]
        return (raw - 65536 if raw & 0x8000 else raw) / 16


def demo():
    def rom(number):
        head = b"\x28" + number.to_bytes(6, "little")
        return head + bytes([crc8(head)])

    roms = [rom(number) for number in (5, 0x123456, 7)]
    pad = b"\x5e\xff\x4b\x46\x7f\xff\x02\x10"
    bus = DS18X20(Wire(*roms), {roms[0]: pad + bytes([crc8(pad)]), roms[1]: pad + b"\0"})
    found = bus.scan()
    print(sorted(found) == sorted(roms), len(found), DS18X20(Wire()).scan())
    for rom in roms[:2]:
        try:
            print(bus.read_temp(rom))
        except ValueError as error:
            print(error)
