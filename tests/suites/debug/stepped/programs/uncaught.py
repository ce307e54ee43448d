def f(n):
    if n == 0:
        raise KeyError("end")
    return f(n - 1)
print("begin")
f(3)
