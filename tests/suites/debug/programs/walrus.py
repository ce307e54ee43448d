# microbit: SyntaxError; it is older than this
def take(values):
    out = []
    while (n := values.pop()) > 1:
        out.append(n)  # stop
    return out, n  # stop

print(take([0, 1, 5, 7]))
