def counter(start):
    count = start
    def step(by):
        nonlocal count
        count += by
        return count  # stop
    return step

tick = counter(10)
print(tick(1), tick(5))
