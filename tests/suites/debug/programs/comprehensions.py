def squares(limit):
    odd = [n * n for n in range(limit) if n % 2]
    grid = [[r * c for c in range(2)] for r in range(2)]
    return odd, grid  # stop

print(squares(6))
