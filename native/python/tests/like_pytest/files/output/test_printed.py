"""Output of a test, shown with its failure."""


def test_prints_and_fails():
    print("before the end")
    x = 1
    assert x == 2


def test_prints():
    print("quiet")
