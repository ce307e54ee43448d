def adders(limit):
    made = []
    for n in range(limit):
        def add(x, n=n):
            y = x + n
            return y  # stop
        made.append(add)
    return made

print([add(10) for add in adders(2)])
