def numbers(n):
    i = 0
    while i < n:
        x = yield i
        if x:
            i = x
        i += 1
def both():
    yield from numbers(2)
    yield 9
g = numbers(6)
print(next(g))
print(g.send(3))
print(list(g))
for x in both():
    print(x)
def first(it):
    for x in it:
        return x
print(first(numbers(3)))
