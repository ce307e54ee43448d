# An instance that cannot run the test says so.


def instance0():
    multitest.next()
    multitest.skip()


def instance1():
    multitest.next()
