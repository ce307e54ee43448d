# microbit: SyntaxError; it is older than this
class Pause:
    def __iter__(self):
        yield 'paused'
        return 5
    __await__ = __iter__

async def inner(n):
    got = await Pause()
    return n + got  # stop

async def outer():
    both = await inner(1)
    return both * 10  # stop

task = outer()
print(task.send(None))
try:
    task.send(None)
except StopIteration as end:
    print(end.value)
