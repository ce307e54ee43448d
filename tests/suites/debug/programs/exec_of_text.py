def f(n):
    m = n * 3
    return m  # stop

exec("x = f(2)\nprint('in exec', x)")
print(f(1))
