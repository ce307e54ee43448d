def numbers():
    n = 0
    try:
        while True:
            yield n
            n += 1  # stop
    finally:
        print('closed at', n)  # stop

g = numbers()
print(next(g), next(g))
g.close()
