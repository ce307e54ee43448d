"""Operands of failed asserts: on a board and by pytest on this computer."""

from __future__ import annotations

import re

import pytest

MARK = "# board: run\n"
# Each is the body of a test that fails in the same way on both; functions and classes are those of COMMON.
ASSERTS = [
    "value = 6; assert value == 7",
    "value = 6; assert value == 7, 'they differ'",
    "assert f(3) == 7",
    "assert f(3) == f(4) - 5",
    "assert f(n=3) > f(*[4])",
    "thing = Thing(); assert thing.size == thing.more(2)",
    "assert not f(3)",
    "assert not (0 or 3)",
    "a, b = 1, 0; assert a and b",
    "a, b = 1, 0; assert (a and b == 0) and f(0) == 1",
    "a, b = 0, 0; assert a or b",
    "a, b, c = 1, 2, 2; assert a < b < c",
    "a, b, c = 3, 2, 2; assert a < b < c",
    "assert 5 in [1, 2]",
    "x = None; assert x is not None",
    "assert -f(3) == 6",
    "a = [1]; assert a[0] + 1 == 3",
    "assert 'text' == f(3)",
    "assert f(f(1)) == f(3)",
    "x = 0; assert x",
    "assert 0",
    "assert False, 'said'",
    "x = 300 * 'x'; assert not x",
    "assert [n for n in (1, 2)] == f(2)",
    "assert any([n > 5 for n in (1, 2)]) is True",
    "assert fact(3) == 7",
    "assert GLOBAL == 6",
    "assert f is None",
    "x = 2; assert x == 2 and x == 3",
]
COMMON = """
GLOBAL = 5
def f(n): return 2 * n
def fact(n):
    assert n >= 0 and f(n) == n + n
    return 1 if n == 0 else n * fact(n - 1)
class Thing:
    size = 5
    def more(self, n): return n
    def __repr__(self): return "<thing>"
"""


def source() -> str:
    tests = (f"def test_{number:02}():\n    {body}\n" for number, body in enumerate(ASSERTS))
    return COMMON + "".join(tests)


def shown(pytester: pytest.Pytester, text: str, *words: str) -> list[list[str]]:
    """Returns the text of each failure about its assert."""
    pytester.makepyfile(test_asserts=text)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)
    result.assert_outcomes(failed=len(ASSERTS))
    text = re.split(r"\n=+ short test summary", result.stdout.str())[0]
    failures = re.split(r"_{5,} test_\d\d _{5,}", text)[1:]
    return [said(failure.splitlines()) for failure in failures]


def said(lines: list[str]) -> list[str]:
    start = next(at for at, line in enumerate(lines) if re.match(r"(E +)?(AssertionError|assert )", line))
    kept = [re.sub(r"^E {0,7}", "", line).rstrip() for line in lines[start:]]
    told = [kept[0].replace("AssertionError: assert", "assert")]
    # The words of an assert end where the next line begins a place or a heading.
    for line in kept[1:]:
        if not line.startswith(("assert ", " + ")):
            break
        told.append(line)
    # Addresses, and the names that the two give to a function.
    return [re.sub(r"<(function|bound|closure|generator)[^>]*>+", "<it>", line) for line in told]


def test_the_values_of_failed_asserts_are_those_that_pytest_shows(
    pytester: pytest.Pytester, address: str
) -> None:
    here = shown(pytester, source())
    board = shown(pytester, MARK + source(), f"--board={address}")
    assert dict(zip(ASSERTS, board)) == dict(zip(ASSERTS, here))


def test_asserts_that_hold_keep_nothing_and_change_nothing(
    pytester: pytest.Pytester, address: str
) -> None:
    pytester.makepyfile(
        MARK
        + """
calls = []
def once(x):
    calls.append(x)
    return x

def test_each_operand_is_asked_once():
    assert once(1) == 1 and once(2) and (once(0) or once(3))
    assert once(5) < once(4) or True
    assert calls == [1, 2, 0, 3, 5, 4]

def test_nothing_is_kept():
    big = [1]
    assert big == [1]
    assert not [kept for kept in _fl_l if kept[1] is big]

def test_what_is_caught_says_it():
    try:
        assert once(6) == 7, "no"
    except AssertionError as error:
        print("caught", error)
    try:
        assert once(1).missing
    except AttributeError:
        pass
    assert once(8) == 8
"""
    )
    result = pytester.runpytest_subprocess(f"--board={address}", "-rA")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["caught no", "assert 6 == 7", "* where 6 = once(6)"])


def test_asserts_stay_as_they_are_when_that_is_wanted(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile(MARK + "def test_a():\n    x = 6\n    assert x == 7\n")
    result = pytester.runpytest_subprocess(f"--board={address}", "--assert=plain")
    result.assert_outcomes(failed=1)
    assert "assert 6 == 7" not in result.stdout.str()
