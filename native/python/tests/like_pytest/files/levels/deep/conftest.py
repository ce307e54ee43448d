"""Overrides one of the fixtures above."""

import pytest


@pytest.fixture
def order(order):
    order.append("deep")
    return order


@pytest.fixture(autouse=True)
def mark(order):
    order.append("auto")
