"""Items and slices."""


def test_item():
    row = [3, 4, 5]
    assert row[1] == 5


def test_slice():
    row = [3, 4, 5]
    assert row[1:] == [4, 6]


def test_negative():
    row = [3, 4, 5]
    assert row[-1] == 5
