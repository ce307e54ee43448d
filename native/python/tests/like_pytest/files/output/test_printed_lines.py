"""Several lines, and print's arguments."""


def test_lines():
    for n in range(3):
        print("line", n, sep=":", end=";\n")
    assert n == 3


def test_empty():
    print()
    print("", end="")
