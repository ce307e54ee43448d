bad = 0
for text in ['1', 'x', '3']:
    try:
        value = int(text)
    except ValueError:
        bad += 1  # stop
        continue
    print(value)
print('bad:', bad)
