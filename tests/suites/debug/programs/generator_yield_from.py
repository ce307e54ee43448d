def inner(n):
    for i in range(n):
        yield i * 10  # stop

def outer():
    yield from inner(2)
    yield 99  # stop

print(list(outer()))
