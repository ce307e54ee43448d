# a caller's line lags: while `for` asks for the next value, or `with` leaves its manager, it is the last statement's
class Guard:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        name = self.name
        print('enter', name)  # stop
        return name

    def __exit__(self, kind, error, trace):
        print('leave', kind is None)  # stop
        return True

def work():
    with Guard('a') as got:
        print('in', got)  # stop
        1 // 0
    return 'after'  # stop

print(work())
