"""importorskip."""

import pytest


def test_missing():
    module = pytest.importorskip("no_such_module_anywhere")
    assert module is None


def test_there():
    json = pytest.importorskip("json")
    assert json.loads("[1]") == [2]
