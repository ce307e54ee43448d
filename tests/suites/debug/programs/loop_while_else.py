def find(items, wanted):
    at = 0
    while at < len(items):
        if items[at] == wanted:
            break  # stop
        at += 1
    else:
        at = -1  # stop
    return at

print(find([5, 6, 7], 6), find([5], 9))
