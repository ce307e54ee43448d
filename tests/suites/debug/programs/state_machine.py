def run(text):
    state = 'out'
    words = 0
    for letter in text:
        if state == 'out' and letter != ' ':
            state = 'in'
            words += 1  # stop
        elif letter == ' ':
            state = 'out'
    return words

print(run('to be or'))
