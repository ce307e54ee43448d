def power(base, n):
    result = 1
    while n:
        if n & 1:
            result *= base  # stop
        base *= base
        n >>= 1
    return result

print(power(7, 41))
