def f(a, *b, c=1, **d):
    return a, b, c, sorted(d)
print(f(1))
print(f(1, 2, 3, c=4, e=5))
def g(a, b=[]):
    b.append(a)
    return len(b)
print(g(1), g(2), g(3, []))
