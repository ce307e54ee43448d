# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
def walk(name, steps):
    for step in range(steps):
        place = name * (step + 1)
        yield place  # stop

left = walk('l', 2)
right = walk('r', 2)
for pair in zip(left, right):
    print(pair)
