class TooHot(Exception):
    def __init__(self, degrees):
        super().__init__(degrees)
        self.degrees = degrees

def check(degrees):
    if degrees > 30:
        raise TooHot(degrees)  # stop
    return degrees

try:
    print(check(20))
    print(check(40))
except TooHot as error:
    caught = error.degrees
    print('too hot', caught)  # stop
