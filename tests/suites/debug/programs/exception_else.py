def parse(text):
    try:
        number = int(text)
    except ValueError:
        number = None
    else:
        number += 1  # stop
    return number  # stop

print(parse('41'), parse('x'))
