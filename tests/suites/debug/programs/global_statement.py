state = 'cold'
turns = 0

def heat():
    global state, turns
    turns += 1
    state = 'hot' * turns
    print(state)  # stop

heat()
heat()
print(state, turns)  # stop
