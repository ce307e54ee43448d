n = 0
def bump():
    global n
    n += 1
    return n
bump()
bump()
print(n)
def hide():
    n = 5
    return n
print(hide(), n)
