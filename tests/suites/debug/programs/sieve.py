def primes(limit):
    flags = [True] * limit
    found = []
    for n in range(2, limit):
        if flags[n]:
            found.append(n)  # stop
            for m in range(n * n, limit, n):
                flags[m] = False
    return found

print(primes(12))
