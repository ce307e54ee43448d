// Buses and their devices: a display and a small memory on I2C; SPI and UART receive what they send, as with their two
// wires joined.

export const BUSES = String.raw`
import _pins
from _pins import PICO
from _display import Display

class _Eeprom:
    def __init__(self):
        self._bytes, self._at = bytearray(256), 0

    def write(self, data):
        if data:
            self._at = data[0]
            for byte in data[1:]:
                self._bytes[self._at & 255] = byte
                self._at += 1

    def read(self, count):
        read = bytes(self._bytes[(self._at + i) & 255] for i in range(count))
        self._at += count
        return read

_devices = {0x3C: Display(), 0x50: _Eeprom()}

class I2C:
    def __init__(self, id=None, *, scl=None, sda=None, freq=400000, timeout=50000):
        self._name, self._id, self._freq = type(self).__name__, id, freq
        if id is not None and not (isinstance(id, int) and -1 <= id <= 1):
            raise ValueError("I2C(%s) doesn't exist" % id)

    def init(self, *rest, **named):
        self._freq = named.get("freq", self._freq)

    def deinit(self):
        pass

    def _at(self, address):
        if address not in _devices:
            raise OSError(5 if PICO and self._name == "I2C" else 19)
        return _devices[address]

    def scan(self):
        return sorted(_devices)

    def writeto(self, address, data, stop=True):
        self._at(address).write(bytes(data))
        return len(data)

    def writevto(self, address, vector, stop=True):
        return self.writeto(address, b"".join(bytes(one) for one in vector))

    def readfrom(self, address, count, stop=True):
        return self._at(address).read(count)

    def readfrom_into(self, address, buffer, stop=True):
        buffer[:] = self.readfrom(address, len(buffer))

    def readfrom_mem(self, address, memory, count, *, addrsize=8):
        self._at(address).write(memory.to_bytes(addrsize // 8, "big"))
        return self.readfrom(address, count)

    def readfrom_mem_into(self, address, memory, buffer, *, addrsize=8):
        buffer[:] = self.readfrom_mem(address, memory, len(buffer), addrsize=addrsize)

    def writeto_mem(self, address, memory, data, *, addrsize=8):
        self.writeto(address, memory.to_bytes(addrsize // 8, "big") + bytes(data))

    def __repr__(self):
        return "%s(%s, freq=%d)" % (self._name, self._id, self._freq)

class SoftI2C(I2C):
    def __init__(self, scl, sda, *, freq=400000, timeout=50000):
        super().__init__(scl=scl, sda=sda, freq=freq)

class SPI:
    MSB, LSB = (1, 0) if PICO else (0, 1)

    def __init__(self, id=None, baudrate=1000000, *, polarity=0, phase=0, bits=8, firstbit=None, sck=None, mosi=None, miso=None):
        self._id, self._baudrate = id, baudrate

    def init(self, baudrate=1000000, **named):
        self._baudrate = baudrate

    def deinit(self):
        pass

    def write(self, data):
        pass

    def read(self, count, write=0):
        return bytes([write]) * count

    def readinto(self, buffer, write=0):
        buffer[:] = self.read(len(buffer), write)

    def write_readinto(self, data, buffer):
        if len(data) != len(buffer):
            raise ValueError("buffers must be the same length")
        buffer[:] = bytes(data)

    def __repr__(self):
        return "%s(%s, baudrate=%d)" % (type(self).__name__, self._id, self._baudrate)

class SoftSPI(SPI):
    def __init__(self, baudrate=500000, **named):
        super().__init__(None, baudrate, **named)

class UART:
    INV_TX, INV_RX = 1, 2

    def __init__(self, id, baudrate=115200, *rest, **named):
        self._baudrate, self._unread = baudrate, b""

    def init(self, baudrate=9600, *rest, **named):
        self._baudrate = baudrate

    def deinit(self):
        self._unread = b""

    def any(self):
        return len(self._unread)

    def write(self, data):
        data = data.encode() if isinstance(data, str) else bytes(data)
        self._unread = (self._unread + data)[-256:]
        return len(data)

    def read(self, count=None):
        if not self._unread:
            return None
        count = len(self._unread) if count is None or count < 0 else count
        read, self._unread = self._unread[:count], self._unread[count:]
        return read

    def readinto(self, buffer, count=None):
        read = self.read(min(len(buffer), len(buffer) if count is None else count))
        if read is None:
            return None
        buffer[:len(read)] = read
        return len(read)

    def readline(self):
        end = self._unread.find(b"\n")
        return self.read(end + 1 if end >= 0 else None)

    def txdone(self):
        return True

    def flush(self):
        pass

_pins.tidy(globals())
`;
