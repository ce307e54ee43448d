print('helper is read')

def cube(n):
    c = n * n * n
    return c  # stop
