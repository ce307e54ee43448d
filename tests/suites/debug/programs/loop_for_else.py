def first_even(numbers):
    for n in numbers:
        if n % 2:
            continue
        found = n  # stop
        break
    else:
        found = None  # stop
    return found

print(first_even([1, 3, 4, 6]), first_even([1]))
