class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y  # stop

    def moved(self, by):
        x = self.x + by
        return Point(x, self.y)  # stop

p = Point(1, 2).moved(3)
print(p.x, p.y)
