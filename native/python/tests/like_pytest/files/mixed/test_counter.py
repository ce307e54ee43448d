"""A class, its fixture, and parametrized calls."""

import pytest


class Counter:
    def __init__(self, start):
        self.value = start

    def count(self, by=1):
        self.value += by
        return self.value

    def __repr__(self):
        return "Counter({})".format(self.value)


@pytest.fixture(params=[0, 10])
def counter(request):
    return Counter(request.param)


@pytest.mark.parametrize("by,times", [(1, 2), (5, 1)])
def test_count(counter, by, times):
    for _ in range(times):
        counter.count(by)
    assert counter.value == by * times
