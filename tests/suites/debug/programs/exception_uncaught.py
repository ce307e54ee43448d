def check(n):
    half = n // 2
    return 10 // half  # stop

print(check(4))
print(check(1))
