def f():
    return 1
a = f
def f():
    return 2
print(a(), f(), a is f)
class A:
    def m(self):
        return 1
    first = m
    def m(self):
        return 2
print(A().m(), A().first())
