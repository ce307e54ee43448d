"""Fixtures for all files of this folder and those below."""

import pytest


@pytest.fixture
def order():
    return ["top"]


@pytest.fixture
def username():
    return "username"
