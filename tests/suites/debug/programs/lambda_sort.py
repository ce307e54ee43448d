def order(words):
    by_length = sorted(words, key=lambda word: (len(word), word))
    first = by_length[0]
    return by_length  # stop

print(order(['pear', 'fig', 'apple']))
