"""The pytest plugin, with pytest itself and real boards."""

from __future__ import annotations

import time
import xml.etree.ElementTree as xml

import pytest
from conftest import started

ON_BOARD = """
# board: run
import sys

count = 0

def setup():
    pass

def test_passes():
    print("said on", sys.implementation.name)
    assert sys.implementation.name == "micropython"

def test_fails():
    x = 1
    assert x == 2, "x is no two"

def test_raises():
    {}["missing"]
"""

TEST_CASE = """
# board: run
import unittest

class TestThings(unittest.TestCase):
    def setUp(self):
        self.value = 5

    def test_equal(self):
        self.assertEqual(self.value, 5)
        with self.assertRaises(ZeroDivisionError):
            1 / 0

    def test_unequal(self):
        self.assertEqual(self.value, 6)

    @unittest.skip("no sensor")
    def test_skipped(self):
        self.fail()

    def test_skips_itself(self):
        self.skipTest("not now")

    @unittest.expectedFailure
    def test_expected(self):
        self.assertTrue(False)

    def test_parts(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertLess(n, 2)
"""

ON_HOST = """
def test_fixture(board, boards):
    assert boards[0] is board
    assert board.eval("6 * 7") == 42
"""


def test_a_marked_file_runs_on_the_board(pytester: pytest.Pytester, address: str) -> None:
    path = pytester.makepyfile(ON_BOARD)
    result = pytester.runpytest_subprocess(f"--board={address}", "--junitxml=out.xml", "-rA")
    result.assert_outcomes(passed=1, failed=2)
    text = result.stdout.str()
    assert "said on micropython" in text and "AssertionError: x is no two" in text
    assert f'File "{path}", line 15, in test_fails' in text and "KeyError" in text
    suite = xml.parse(pytester.path / "out.xml").getroot()
    assert {case.get("name") for case in suite.iter("testcase")} == {"test_passes", "test_fails", "test_raises"}


@pytest.mark.parametrize("kind", ["address", "microbit"])
def test_unittest_runs_on_a_board_that_has_none(
    pytester: pytest.Pytester, kind: str, request: pytest.FixtureRequest
) -> None:
    if kind == "microbit":
        # Its 16 KiB take plain functions and the runner.
        pytester.makepyfile(ON_BOARD)
        result = pytester.runpytest_subprocess(f"--board={request.getfixturevalue(kind)}")
        result.assert_outcomes(passed=1, failed=2)
        return
    pytester.makepyfile(TEST_CASE)
    result = pytester.runpytest_subprocess(f"--board={request.getfixturevalue(kind)}")
    result.assert_outcomes(passed=1, failed=2, skipped=2, xfailed=1)


def test_k_and_x_choose_and_stop(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile(ON_BOARD)
    pytester.runpytest_subprocess(f"--board={address}", "-k", "passes").assert_outcomes(passed=1, deselected=2)
    pytester.runpytest_subprocess(f"--board={address}", "-x").assert_outcomes(passed=1, failed=1)


def test_other_files_run_here_with_the_fixture(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile(ON_HOST)
    pytester.runpytest_subprocess(f"--board={address}").assert_outcomes(passed=1)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    assert "name its address with --board=ADDRESS" in result.stdout.str()


def test_a_file_that_raises_fails_its_tests_and_no_others(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile(test_a="# board: run\n1 / 0\ndef test_a(): pass", test_b=ON_HOST)
    result = pytester.runpytest_subprocess(f"--board={address}")
    result.assert_outcomes(passed=1, failed=1)
    assert "ZeroDivisionError" in result.stdout.str() and "test_a.py\", line 2" in result.stdout.str()


def test_each_worker_of_xdist_takes_a_board(pytester: pytest.Pytester, address: str) -> None:
    sleeping = "# board: run\nimport time\n" + "".join(
        f"def test_{n}(): time.sleep(0.02)\n" for n in range(10)
    )
    pytester.makepyfile(**{f"test_{letter}": sleeping for letter in "abcd"})
    with started("unix") as other:
        start = time.monotonic()
        one = pytester.runpytest_subprocess(f"--board={address}")
        between = time.monotonic()
        words = [f"--board={address}", f"--board={other}", "-n", "2", "--dist", "loadfile"]
        two = pytester.runpytest_subprocess(*words)
        took = time.monotonic() - between
    one.assert_outcomes(passed=40)
    two.assert_outcomes(passed=40)
    # Shown with -s; a busy machine's times fail no test.
    print(f"40 tests of 20 ms: one board {between - start:.2f} s, two boards {took:.2f} s")
