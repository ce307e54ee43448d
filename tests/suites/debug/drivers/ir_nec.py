# Remote controls by NEC: edges become a frame, a frame a command, and a callback gets it.
REPEAT = -1
BAD_BLOCK, BAD_DATA = -2, -3


class Receiver:
    def __init__(self, callback, *args, extended=False):
        self._callback = callback
        self._args = args
        self._extended = extended
        self._errors = lambda _: None
        self._last = 0

    def error_function(self, function):
        self._errors = function

    def decode(self, edges):
        try:
            value = self._value(edges)
        except ValueError as error:
            (code,) = error.args
            return self._errors(code)
        if value == REPEAT:
            return self._callback(REPEAT, self._last, *self._args)
        address, command = value & 0xFFFF, value >> 16 & 0xFF
        if command != value >> 24 ^ 0xFF:
            return self._errors(BAD_DATA)
        if not self._extended:
            if address & 0xFF != address >> 8 ^ 0xFF:
                return self._errors(BAD_DATA)
            address &= 0xFF
        self._last = address
        self._callback(command, address, *self._args)

    def _value(self, edges):
        lead, space, *rest = edges
        if lead < 4000 or len(rest) not in (1, 65):
            raise ValueError(BAD_BLOCK)
        if space < 3000:
            return REPEAT
        value = 0
        for at in range(1, 64, 2):
            value >>= 1
            if rest[at] > 1120:
                value |= 0x80000000
        return value


def edges(address, command):
    value = address | (address ^ 0xFF) << 8 | command << 16 | (command ^ 0xFF) << 24
    bits = [(560, 1690 if value >> bit & 1 else 560) for bit in range(32)]
    return [9000, 4500] + [time for pair in bits for time in pair] + [560]


def demo():
    receiver = Receiver(print, "remote")
    receiver.error_function(lambda code: print("error", code))
    receiver.decode(edges(0x20, 0x1B))
    receiver.decode([9000, 2250, 560])
    receiver.decode([100, 200, 300])
    broken = edges(0x20, 0x1B)
    broken[10], broken[11] = 560, 560 if broken[11] > 1000 else 1690
    receiver.decode(broken)
    broken = edges(1, 2)
    broken[-3] = 1690 if broken[-3] < 1000 else 560
    receiver.decode(broken)
