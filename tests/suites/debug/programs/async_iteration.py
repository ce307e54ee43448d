# microbit: SyntaxError; it is older than this
# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
class Ticks:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        left = self.n
        return left  # stop

async def main():
    total = 0
    async for tick in Ticks(2):
        total += tick + 1  # stop
    return total

try:
    main().send(None)
except StopIteration as end:
    print(end.value)
