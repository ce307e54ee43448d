def deep(n):
    try:
        try:
            if n == 0:
                raise KeyError('k')
            raise IndexError(n)
        except KeyError:
            found = 'key'
            return found  # stop
        finally:
            print('inner')
    except IndexError:
        found = 'index'
        return found  # stop

print(deep(0), deep(1))
