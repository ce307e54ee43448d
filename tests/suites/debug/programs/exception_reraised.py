def inner(n):
    try:
        return [1, 2][n]
    except IndexError:
        seen = n
        raise  # stop

def outer():
    for n in (1, 2):
        try:
            print(inner(n))
        except IndexError:
            print('out of range', n)  # stop

outer()
