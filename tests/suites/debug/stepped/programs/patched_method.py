class A:
    def m(self):
        return "old"
def new(self):
    return "new"
a = A()
print(a.m())
A.m = new
print(a.m(), A.__dict__["m"] is new)
