"""Classes that compare themselves."""


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __repr__(self):
        return "Point({}, {})".format(self.x, self.y)


def test_equal():
    assert Point(1, 2) == Point(1, 2)


def test_unequal():
    assert Point(1, 2) == Point(1, 3)
