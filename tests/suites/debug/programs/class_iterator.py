# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        now = self.n
        return now  # stop

total = 0
for n in Down(3):
    total += n
print(total)
