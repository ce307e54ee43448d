def is_even(n):
    if n == 0:
        return True  # stop
    return is_odd(n - 1)

def is_odd(n):
    if n == 0:
        return False  # stop
    return is_even(n - 1)

print(is_even(2), is_odd(2))
