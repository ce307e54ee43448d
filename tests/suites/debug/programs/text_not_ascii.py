def greet(name):
    text = 'Grüß Gott, ' + name
    size = len(text)
    return size  # stop

print(greet('Jürgen'), greet('日本'))
