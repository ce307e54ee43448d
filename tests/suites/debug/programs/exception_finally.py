def work(n):
    steps = []
    try:
        steps.append('try')
        if n:
            return steps
        raise KeyError(n)
    except KeyError:
        steps.append('except')  # stop
    finally:
        steps.append('finally')  # stop
    return steps  # stop

print(work(1))
print(work(0))
