import helper
def f():
    return sorted(n for n in dir(helper) if not n.startswith("__"))
print(sorted(n for n in globals() if not n.startswith("__")))
print(f())
print(helper.twice(2))
