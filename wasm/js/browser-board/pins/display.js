// A display with an SSD1306 on I2C, according to its data sheet: only commands with a visible effect (SSD1306, revision
// 1.1, table 9-1).

export const DISPLAY = String.raw`
from binascii import hexlify
from _pins import show

# Commands that are followed by bytes, and by how many.
_MORE = {0x20: 1, 0x21: 2, 0x22: 2, 0x26: 6, 0x27: 6, 0x29: 5, 0x2A: 5, 0x81: 1, 0x8D: 1, 0xA3: 2, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}

class Display:
    def __init__(self):
        self._ram = bytearray(1024)
        self._is_on = self._inverted = self._all = False
        self._height, self._mode = 64, 2
        self._columns, self._pages = (0, 127), (0, 7)
        self._column = self._page = 0
        self._waiting = []
        self._is_new = False

    def write(self, data):
        at = 0
        while at < len(data):
            control, at = data[at], at + 1
            end = at + 1 if control & 0x80 else len(data)
            if control & 0x40:
                self._data(data[at:end])
            else:
                for byte in data[at:end]:
                    self._command(byte)
            at = end
        if self._is_new:
            self._is_new = False
            self._show()

    def read(self, count):
        return bytes([0 if self._is_on else 0x40]) * count

    def _command(self, byte):
        self._waiting.append(byte)
        if len(self._waiting) <= _MORE.get(self._waiting[0], 0):
            return
        command, more = self._waiting[0], self._waiting[1:]
        self._waiting = []
        if 0xA4 <= command <= 0xA8 or command in (0xAE, 0xAF):
            self._is_new = True
        if command in (0xAE, 0xAF):
            self._is_on = command == 0xAF
        elif command in (0xA6, 0xA7):
            self._inverted = command == 0xA7
        elif command in (0xA4, 0xA5):
            self._all = command == 0xA5
        elif command == 0xA8:
            self._height = min(64, more[0] + 1)
        elif command == 0x20:
            self._mode = more[0] & 3
        elif command == 0x21:
            self._columns = more[0] & 127, more[1] & 127
            self._column = self._columns[0]
        elif command == 0x22:
            self._pages = more[0] & 7, more[1] & 7
            self._page = self._pages[0]
        elif command & 0xF8 == 0xB0:
            self._page = command & 7
        elif command <= 0x0F:
            self._column = self._column & 0xF0 | command
        elif command <= 0x1F:
            self._column = self._column & 0x0F | (command & 7) << 4

    def _data(self, data):
        self._is_new = True
        # The whole of it at once is what drivers send.
        whole = 128 * (self._pages[1] + 1)
        if self._mode == 0 and self._columns == (0, 127) and self._pages[0] == self._page == self._column == 0 and len(data) == whole:
            self._ram[:whole] = data
            return
        for byte in data:
            self._ram[128 * self._page + self._column] = byte
            self._next()

    def _next(self):
        if self._mode == 2:
            self._column = (self._column + 1) & 127
        elif self._mode == 0:
            self._column += 1
            if self._column > self._columns[1]:
                self._column = self._columns[0]
                self._page = self._pages[0] if self._page >= self._pages[1] else self._page + 1
        else:
            self._page += 1
            if self._page > self._pages[1]:
                self._page = self._pages[0]
                self._column = self._columns[0] if self._column >= self._columns[1] else self._column + 1

    def _show(self):
        ram = b"" if not self._is_on else b"\xff" * 1024 if self._all else self._ram
        state = ("on" if self._is_on else "off") + ("i" if self._inverted else "n")
        show("oled:3c", "%s,%d,%s" % (state, self._height, hexlify(ram[:16 * self._height]).decode()))
`;
