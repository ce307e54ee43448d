"""A message after the comma."""


def test_even():
    a = 3
    assert a % 2 == 0, "value was odd, should be even"


def test_formatted():
    got, wanted = 3, 4
    assert got == wanted, "got {} and not {}".format(got, wanted)


def test_holds():
    assert True, "never said"
