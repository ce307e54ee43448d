def shout(word):
    loud = word.upper() + '!'
    return loud  # stop
