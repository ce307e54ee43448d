class Vector:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        x = self.x + other.x
        return Vector(x)  # stop

    def __eq__(self, other):
        same = self.x == other.x
        return same  # stop

print((Vector(1) + Vector(2)).x, Vector(1) == Vector(1))
