# microbit: RuntimeError; its C stack is full after 4 calls within calls with hooks
known = {}

def fib(n):
    if n in known:
        return known[n]  # stop
    known[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return known[n]

print(fib(6))
