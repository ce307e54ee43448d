def twice(function):
    def wrapped(n):
        first = function(n)
        return function(first)  # stop
    return wrapped

@twice
def add_one(n):
    m = n + 1
    return m  # stop

print(add_one(5))
