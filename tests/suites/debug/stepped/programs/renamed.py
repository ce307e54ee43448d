def f(a):
    return a + 1
def g(a):
    return a * 10
f = g
print(f(2), f is g)
