def half(n):
    assert n % 2 == 0, 'odd'
    m = n // 2
    return m  # stop

for n in (4, 3):
    try:
        print(half(n))
    except AssertionError as error:
        print('assertion', error)  # stop
