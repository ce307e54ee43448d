class A:
    def __init__(self):
        self._v = 1
    @property
    def v(self):
        return self._v
    @v.setter
    def v(self, value):
        self._v = value * 2
a = A()
print(a.v)
a.v = 5
print(a.v)
a.v += 1
print(a.v)
