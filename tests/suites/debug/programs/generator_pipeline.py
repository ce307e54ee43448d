# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
def numbers(limit):
    for n in range(limit):
        yield n

def odd(source):
    for n in source:
        if n % 2:
            yield n  # stop

def squared(source):
    for n in odd(source):
        square = n * n
        yield square  # stop

print(sum(squared(numbers(5))))
