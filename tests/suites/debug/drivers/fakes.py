# Buses and pins that answer what was recorded, and print what happens on them.


def shown(data):
    return " ".join("%02x" % byte for byte in data)


class I2C:
    """Devices by address. A device is a dictionary of registers, or a list of what reads get, one after the other."""

    def __init__(self, **devices):
        self.devices = {int(name[1:], 16): device for name, device in devices.items()}

    def scan(self):
        return sorted(self.devices)

    def _device(self, addr):
        if addr not in self.devices:
            raise OSError(19)
        return self.devices[addr]

    def readfrom_mem(self, addr, reg, nbytes):
        buf = bytearray(nbytes)
        self.readfrom_mem_into(addr, reg, buf)
        return bytes(buf)

    def readfrom_mem_into(self, addr, reg, buf):
        values = self._device(addr).get(reg, b"")
        if type(values) is list:
            values = values.pop(0)
        buf[: len(values)] = values[: len(buf)]
        print("mem read %02x %02x:" % (addr, reg), shown(buf))

    def writeto_mem(self, addr, reg, buf):
        print("mem write %02x %02x:" % (addr, reg), shown(buf))
        self._device(addr)[reg] = bytes(buf)

    def writeto(self, addr, buf):
        self._device(addr)
        print("write %02x:" % addr, shown(buf))
        return len(buf)

    def readfrom(self, addr, nbytes):
        buf = bytearray(nbytes)
        self.readfrom_into(addr, buf)
        return bytes(buf)

    def readfrom_into(self, addr, buf):
        values = self._device(addr).pop(0)
        buf[: len(values)] = values
        print("read %02x:" % addr, shown(buf))


class SPI:
    """Answers to reads, one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def _answer(self, size):
        values = self.answers.pop(0) if self.answers else b""
        return values + bytes(size - len(values))

    def write(self, buf):
        print("spi write", shown(buf))

    def read(self, nbytes, write=0):
        values = self._answer(nbytes)
        print("spi read", shown(values))
        return values

    def readinto(self, buf, write=0):
        buf[:] = self.read(len(buf), write)

    def write_readinto(self, out, buf):
        buf[:] = self._answer(len(buf))
        print("spi", shown(out), "->", shown(buf))


class Pin:
    IN = 0
    OUT = 1
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self, name, mode=IN, recorded=()):
        self.name = name
        self.recorded = list(recorded)
        self.level = 0
        self.handler = None

    def value(self, *level):
        if level:
            self.level = int(level[0])
            print("%s=%d" % (self.name, self.level))
        elif self.recorded:
            self.level = self.recorded.pop(0)
        return self.level if not level else None

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    def irq(self, handler=None, trigger=3):
        self.handler = handler

    def edge(self, level):
        self.level = level
        if self.handler:
            self.handler(self)


class ADC:
    def __init__(self, *recorded):
        self.recorded = list(recorded)

    def read_u16(self):
        return self.recorded.pop(0)


class PWM:
    def __init__(self, name):
        self.name = name

    def duty_u16(self, duty):
        print("%s duty %d" % (self.name, duty))

    def freq(self, hertz):
        print("%s %d Hz" % (self.name, hertz))


class UART:
    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def any(self):
        return len(self.pieces[0]) if self.pieces else 0

    def read(self, nbytes=-1):
        return self.pieces.pop(0) if self.pieces else None

    def write(self, data):
        print("uart write", data)
        return len(data)
