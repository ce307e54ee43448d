def divide(a, b):
    try:
        return a // b  # stop
    except ZeroDivisionError:
        text = 'no'
        return text  # stop

print(divide(6, 3), divide(1, 0))
