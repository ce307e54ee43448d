COUNT = 2
def twice(n):
    r = n * COUNT
    return r
class Thing:
    def __init__(self, v):
        self.v = v
    def get(self):
        return twice(self.v)
