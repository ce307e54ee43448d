class Maker:
    made = 0

    @staticmethod
    def check(n):
        good = n > 0
        return good  # stop

    @classmethod
    def make(cls, n):
        cls.made += 1
        ok = cls.check(n)
        return ok, cls.made  # stop

print(Maker.make(5), Maker.make(-5))
