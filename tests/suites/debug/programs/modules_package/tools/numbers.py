def halves(values):
    out = []
    for value in values:
        half = value // 2
        out.append(half)  # stop
    return out
