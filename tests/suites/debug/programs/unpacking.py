def swap(pair):
    a, b = pair
    a, b = b, a
    return a, b  # stop

def head(values):
    first, *rest = values
    return first, rest  # stop

print(swap((1, 2)), head([1, 2, 3]))
