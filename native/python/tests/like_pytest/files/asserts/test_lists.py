"""Lists that differ."""


def test_item():
    assert [0, 1, 2] == [0, 1, 3]


def test_length():
    got = [0, 1]
    assert got == [0, 1, 2]


def test_nested():
    got = [[1], [2, 3]]
    assert got[1] == [2, 4]
