"""A file overrides a fixture of conftest.py, and uses it."""

import pytest


@pytest.fixture
def username(username):
    return "overridden-" + username


def test_username(username):
    assert username == "overridden-name"
