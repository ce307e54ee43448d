def average():
    total = 0
    count = 0
    while True:
        value = yield total
        total += value  # stop
        count += 1

a = average()
next(a)
print(a.send(10))
print(a.send(20))
