class Log:
    def __init__(self, f):
        self.f = f
    def __call__(self, *a):
        print("call", a)
        return self.f(*a)
def work(a, b):
    c = a + b
    return c
work = Log(work)
print(work(1, 2))
class S:
    @staticmethod
    def s(a):
        return a
    @classmethod
    def c(cls, a):
        return (cls is S, a)
print(S.s(1), S.c(2), S().s(3))
bound = S().c
print(bound(4))
