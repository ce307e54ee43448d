import sys
if sys.platform:
    def f():
        return "yes"
else:
    def f():
        return "no"
try:
    import nothing_of_this_name
except ImportError:
    def g(a):
        return a
print(f(), g(1))
for i in range(2):
    def h(i=i):
        return i
    print(h())
