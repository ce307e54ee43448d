def add(a, b,
        c):
    total = (a +
             b +
             c)
    other = total \
        + 1
    return other  # stop

text = '''one
two'''
print(add(1, 2,
          3), text)
