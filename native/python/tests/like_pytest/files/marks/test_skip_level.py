"""A file that skips itself."""

import pytest

if 1 < 2:
    pytest.skip("skipping this file", allow_module_level=True)


def test_never():
    assert False
