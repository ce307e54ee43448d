# Two instances that send each other lines by the script that runs them; no network is needed.


def instance0():
    multitest.globals(FIRST="a" * 3)
    multitest.next()
    for turn in range(5):
        multitest.broadcast("ping %d" % turn)
        multitest.wait("pong %d" % turn)
        print("answered", turn)


def instance1():
    multitest.next()
    print(FIRST)
    for turn in range(5):
        multitest.wait("ping %d" % turn)
        multitest.broadcast("pong %d" % turn)
    print("\u00e4", list(range(200)))
