"""The module's."""
def f():
    """Returns one.

    In lines."""
    return 1
class A:
    """A class."""
    def m(self):
        "one"
        return 2
print(f(), A().m())
