# What generated programs use; nobody steps into it.


# MicroPython calls it for names without an underscore; all others exist when it compiles alone.
def const(value):
    return value


def same(function):
    return function


class Manager:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, kind, error, trace):
        return kind is ValueError


class Pause:
    def __init__(self, value):
        self.value = value

    def __iter__(self):
        yield self.value
        return self.value

    __await__ = __iter__


async def pause(value):
    return await Pause(value)


class Lock:
    async def __aenter__(self):
        return await pause(7)

    async def __aexit__(self, kind, error, trace):
        await pause(8)


class Ticks:
    def __init__(self, count):
        self.count = count

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.count:
            raise StopAsyncIteration
        self.count -= 1
        return await pause(self.count)


def drive(*tasks):
    """A loop that takes turns, as asyncio does.

    Tasks that one of them leaves behind with its exception are closed here: what is left to the garbage collector runs its
    `finally` whenever that comes, and with hooks a frame lives for longer.
    """
    waiting = list(tasks)
    try:
        while waiting:
            task = waiting.pop(0)
            try:
                task.send(None)
                waiting.append(task)
            except StopIteration:
                pass
    finally:
        for task in waiting:
            try:
                task.close()
            except RuntimeError:
                # It awaits something in its `finally`.
                pass
