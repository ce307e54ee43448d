# A matrix of keys: rows are driven, columns are read, and keys come from an iterator.
from fakes import Pin


class Column(Pin):
    """Is high where the row that is driven has a key that is down."""

    def connect(self, rows, keys):
        self.rows, self.keys = rows, keys
        return self

    def value(self, *level):
        return int(any(row.level and (row.name, self.name) in self.keys for row in self.rows))


class Keypad:
    def __init__(self, rows, columns, layout):
        self._rows, self._columns = rows, columns
        self._layout = [row.split() for row in layout]
        self._down = set()

    def _pressed(self):
        for row, names in zip(self._rows, self._layout):
            row.on()
            for column, name in zip(self._columns, names):
                if column.value():
                    yield name
            row.off()

    def events(self):
        down = set(self._pressed())
        new, gone = down - self._down, self._down - down
        self._down = down
        return sorted(new), sorted(gone)

    @classmethod
    def phone(cls, rows, columns):
        return cls(rows, columns, ("1 2 3", "4 5 6", "7 8 9", "* 0 #"))


def demo():
    keys = set()
    rows = [Pin("r%d" % number) for number in range(2)]
    columns = [Column("c%d" % number).connect(rows, keys) for number in range(3)]
    pad = Keypad.phone(rows, columns)
    for key in (("r0", "c1"), ("r1", "c2"), None):
        keys.add(key) if key else keys.clear()
        new, gone = pad.events()
        print("new", new, "gone", gone)
