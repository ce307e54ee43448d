def factorial(n):
    if n < 2:
        return 1  # stop
    rest = factorial(n - 1)
    return n * rest  # stop

print(factorial(3))
