"""A skip of a test leaves its fixtures alone."""

import pytest

made = []


@pytest.fixture
def number():
    made.append(1)
    return 1


@pytest.mark.skip(reason="not now")
def test_skipped(number):
    assert False


def test_made(number):
    assert made == [1, 1]


@pytest.fixture
def skipping():
    pytest.skip("the fixture says so")


def test_skipped_by_fixture(skipping):
    assert False
