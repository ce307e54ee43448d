"""Sets."""


def test_one_item():
    assert {1} == {2}


def test_union():
    assert {1} | {2} == {1, 2}


def test_subset():
    small = {1}
    assert small.issubset({2})
