from support import pause, drive
async def inner(n):
    r = await pause(n)
    return r + 1
async def outer(n):
    a = await inner(n)
    b = await inner(a)
    print(n, a, b)
    return b
drive(outer(1), outer(5))
