def inner(n):
    return 10 // n
def outer(n):
    try:
        return inner(n)
    except ZeroDivisionError as e:
        print("caught", type(e))
        return -1
    finally:
        print("finally")
print(outer(2))
print(outer(0))
def reraise():
    try:
        inner(0)
    except ZeroDivisionError:
        raise ValueError("again")
try:
    reraise()
except ValueError as e:
    print(e)
