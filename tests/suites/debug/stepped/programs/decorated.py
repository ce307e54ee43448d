def deco(f):
    def inner(*a):
        x = f(*a)
        return ("decorated", x)
    return inner
def times(n):
    def outer(f):
        def inner(a):
            return [f(a) for _ in range(n)]
        return inner
    return outer
@deco
def f(a):
    return a
@times(2)
def g(a):
    return a + 1
class A:
    @deco
    def m(self):
        return 5
print(f(1), g(2), A().m())
