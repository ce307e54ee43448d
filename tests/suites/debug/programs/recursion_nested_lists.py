def total(tree):
    result = 0
    for branch in tree:
        if isinstance(branch, list):
            result += total(branch)
        else:
            result += branch  # stop
    return result

print(total([1, [2, [3]], 4]))
