def fact(n):
    if n < 2:
        return 1
    return n * fact(n - 1)
print(fact(5))
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
print(even(4))
