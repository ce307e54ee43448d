import time

# How long a board takes for the same work, written in two ways.
def measure(name, work):
    began = time.ticks_us()
    result = work()
    took = time.ticks_diff(time.ticks_us(), began)
    print("%s: %d in %.1f ms" % (name, result, took / 1000))

def by_loop():
    total = 0
    for n in range(20000):
        total += n * n
    return total

def by_sum():
    return sum(n * n for n in range(20000))

measure("a loop", by_loop)
measure("sum of a generator", by_sum)
