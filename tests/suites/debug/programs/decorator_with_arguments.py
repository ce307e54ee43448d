# the stack of a small board lacks: times.decorate.wrapped
def times(count):
    def decorate(function):
        def wrapped(n):
            for i in range(count):
                n = function(n)
            return n
        return wrapped
    return decorate

@times(2)
def double(n):
    n *= 2
    return n  # stop

print(double(3))
