FACTOR = 2

def twice(n):
    r = n * FACTOR
    return r  # stop
