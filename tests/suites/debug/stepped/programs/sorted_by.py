def key(p):
    k = -p
    return k
print(min([3, 1, 2], key=key))
print(list(map(key, [1, 2])))
print([key(x) for x in (5, 6)])
print((lambda a: key(a) + 1)(4))
