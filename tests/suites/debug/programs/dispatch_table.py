# the stack of a small board lacks: run
def plus(a, b):
    c = a + b
    return c  # stop

def minus(a, b):
    c = a - b
    return c  # stop

TABLE = {'+': plus, '-': minus}

def run(sign, a, b):
    return TABLE[sign](a, b)

print(run('+', 5, 3), run('-', 5, 3))
