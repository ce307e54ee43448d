from support import const
_REG = const(16)
_MASK = const(_REG - 1)
WIDE = const(3)
class Dev:
    _LOCAL = 5
    def read(self, n):
        v = (n + _REG) & _MASK
        return v
def top(n):
    return n * WIDE + _REG
print(Dev().read(7), top(2))
