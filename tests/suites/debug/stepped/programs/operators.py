class V:
    def __init__(self, x):
        self.x = x
    def __add__(self, o):
        return V(self.x + o.x)
    def __eq__(self, o):
        return self.x == o.x
    def __repr__(self):
        return "V(%d)" % self.x
    def __call__(self, n):
        return self.x * n
    def __neg__(self):
        return V(-self.x)
a = V(1) + V(2)
print(a, a == V(3), a(4), -a)
print(str(a))
