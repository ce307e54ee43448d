moves = []

def hanoi(n, a, b, c):
    if n:
        hanoi(n - 1, a, c, b)
        moves.append((a, c))  # stop
        hanoi(n - 1, b, a, c)

hanoi(2, 'A', 'B', 'C')
print(len(moves), moves)
