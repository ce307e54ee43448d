class Outer:
    class Inner:
        def __init__(self, n):
            self.n = n

        def get(self):
            m = self.n * 2
            return m  # stop

    def make(self, n):
        return Outer.Inner(n).get()

print(Outer().make(21))
