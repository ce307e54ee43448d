class M:
    def __enter__(self):
        print("enter")
        return 5
    def __exit__(self, t, e, b):
        print("exit", t)
        return True
with M() as m:
    print(m)
with M():
    raise ValueError("x")
def f():
    with M() as m:
        return m
print(f())
