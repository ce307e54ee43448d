def one(n):
 m = n + 1
 return m  # stop

def two(n):
        if n:
          k = one(n)
          return k  # stop
        return 0

print(two(3))
