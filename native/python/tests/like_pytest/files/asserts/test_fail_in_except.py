"""An assert within try and except."""


def test_in_except():
    try:
        [].pop()
    except IndexError:
        reached = True
        assert not reached


def test_finally():
    done = []
    try:
        done.append(1)
    finally:
        assert done == [1]
