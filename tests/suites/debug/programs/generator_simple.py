# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
def count(limit):
    n = 0
    while n < limit:
        yield n  # stop
        n += 1

for number in count(3):
    print(number)
print('end')
