def f(n):
    return n
cb = f
print(f(1))
print(cb is f)
def g():
    return cb is f
print(g())
