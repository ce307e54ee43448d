"""An assert that fails in a later turn of a loop."""


def test_loop():
    for n in range(5):
        assert n * n < 9


def test_all_turns():
    for n in range(5):
        assert n * n < 20
