def load(table, key):
    try:
        return table[key]
    except KeyError:
        place = len(table)
        raise ValueError(place)  # stop

def find(key):
    try:
        return load({'a': 1}, key)
    except ValueError as error:
        code = error.args[0]
        return -code  # stop

print(find('a'), find('b'))
