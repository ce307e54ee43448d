# The first instance raises while the second one waits for its end.


def instance0():
    multitest.next()
    multitest.wait("go")
    print("before")
    raise ValueError("on purpose")


def instance1():
    multitest.next()
    multitest.broadcast("go")
    print("done")
