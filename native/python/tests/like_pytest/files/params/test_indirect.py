"""Indirect parametrization: a fixture receives the value."""

import pytest


@pytest.fixture
def fixt(request):
    return request.param * 3


@pytest.mark.parametrize("fixt", ["a", "b"], indirect=True)
def test_indirect(fixt):
    assert len(fixt) == 3


@pytest.mark.parametrize("fixt", ["a"], indirect=True)
def test_indirect_fails(fixt):
    assert fixt == "aa"
