# microbit: NameError; it has no property()
class Circle:
    def __init__(self, r):
        self.r = r

    @property
    def area(self):
        square = self.r * self.r
        return 3 * square  # stop

c = Circle(4)
print(c.area)
