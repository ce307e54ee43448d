def show(a, b=2, *rest, c=3, **more):
    count = len(rest) + len(more)
    return a + b + c + count  # stop

print(show(1), show(1, 5, 6, 7), show(1, c=9, d=4))
