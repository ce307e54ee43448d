def outer(a):
    def middle(b):
        def inner(c):
            total = a + b + c
            return total  # stop
        return inner(3)
    return middle(2)

print(outer(1))
