# the stack of a small board lacks: apply
def apply(function, values):
    out = []
    for value in values:
        out.append(function(value))
    return out

def negative(n):
    m = -n
    return m  # stop

print(apply(negative, [1, 2]))
