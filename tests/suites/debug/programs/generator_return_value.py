def worker():
    yield 1
    done = 'done'
    return done  # stop

def boss():
    result = yield from worker()
    print('got', result)  # stop
    yield 2

print(list(boss()))
