def counter(start):
    n = start
    def up(by=1):
        nonlocal n
        n += by
        return n
    def get():
        return n
    return up, get
up, get = counter(5)
print(up())
print(up(10))
print(get())
fs = []
for i in range(3):
    def late(x, i=i):
        return x + i
    fs.append(late)
print([f(10) for f in fs])
