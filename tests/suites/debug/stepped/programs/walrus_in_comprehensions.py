# A `:=` in a comprehension binds a variable of the function around it, also where nothing else names it.
def read_later():
    pairs = [(number, (last := number + 1)) for number in (3, 4)]
    print(pairs)
    return last


def read_by_nobody():
    pairs = {number: (kept := number) for number in (5, 6)}
    print(pairs[5], pairs[6])
    total = sum((seen := number) for number in (1, 2))
    print(total)


class Thing:
    def method(self):
        try:
            print(any((found := number) > 7 for number in (7, 8, 9)))
        finally:
            print("finally")


print(read_later())
read_by_nobody()
Thing().method()
