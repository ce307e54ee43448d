def numbers():
    try:
        yield 1
        yield 2
    except ValueError:
        state = 'told'
        yield 3  # stop

g = numbers()
print(next(g))
print(g.throw(ValueError()))
