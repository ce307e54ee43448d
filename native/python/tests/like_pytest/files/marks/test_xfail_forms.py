"""xfail: raises, strict, run and a condition."""

import pytest


@pytest.mark.xfail(raises=RuntimeError)
def test_raises():
    raise RuntimeError("expected")


@pytest.mark.xfail(raises=RuntimeError)
def test_raises_other():
    raise ValueError("not expected")


@pytest.mark.xfail(strict=True)
def test_strict():
    assert True


@pytest.mark.xfail(run=False)
def test_not_run():
    raise SystemExit


@pytest.mark.xfail(False, reason="not here")
def test_condition():
    assert 3 == 4


@pytest.mark.xfail(True, reason="here")
def test_condition_holds():
    assert 3 == 4
