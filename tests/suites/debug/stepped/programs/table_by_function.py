def f(n):
    return n
def g(n):
    return -n
t = {f: "f", g: "g"}
print(f(1), t.get(f))
print(g(1), t.get(g))
for k in (f, g):
    print(k(3), t[k])
