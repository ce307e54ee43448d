def deco(f):
    def inner(*a):
        x = f(*a)
        return ("decorated", x)
    return inner
def f(a):
    return a
f = deco(f)
print(f(1))
print(f(2))
