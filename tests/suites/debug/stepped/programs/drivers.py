from support import const
_CTRL = const(0x1E)
_RESET = const(
    0x60 +  # soft
    0)
class Bus:
    def __init__(self):
        self.mem = {0x1E: bytearray(b"\x01\x02")}
    def readfrom_mem_into(self, addr, reg, buf):
        buf[:] = self.mem[reg][:len(buf)]
    def writeto_mem(self, addr, reg, buf):
        self.mem[reg] = bytearray(buf)
class Sensor:
    def __init__(self, bus, addr=0x40):
        self._bus = bus
        self._addr = addr
        self._buf = bytearray(2)
        self._write(_CTRL, _RESET)
    def _write(self, reg, value):
        self._bus.writeto_mem(self._addr, reg, bytes([value, value >> 1]))
    def _read(self, reg):
        self._bus.readfrom_mem_into(self._addr, reg, self._buf)
        return self._buf[0] << 8 | self._buf[1]
    @property
    def value(self):
        return self._read(_CTRL)
s = Sensor(Bus())
print(hex(s.value))
