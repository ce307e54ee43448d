"""The pytest plugin, with pytest itself and real boards."""

from __future__ import annotations

import os
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from conftest import started

import flylead

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
        # Its 16 KiB have space for plain functions and the runner.
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


COUNTING = """
# board: run
def count():
    with open("ran", "a") as file:
        file.write("x")
"""


@pytest.mark.parametrize("way", ["load", "loadfile"])
def test_each_worker_of_xdist_takes_a_board_and_each_test_runs_once(
    pytester: pytest.Pytester, way: str
) -> None:
    tests = "".join(f"def test_{n}(): count()\n" for n in range(10))
    pytester.makepyfile(**{f"test_{letter}": COUNTING + tests for letter in "abcd"})
    with started("unix") as one, started("unix") as other:
        words = [f"--board={one}", f"--board={other}", "-n", "2", "--dist", way]
        pytester.runpytest_subprocess(*words).assert_outcomes(passed=40)
        ran = []
        for address in (one, other):
            with flylead.Board.connect(address) as board:
                ran.append(len(board.files.read("ran")))
    assert sum(ran) == 40 and all(ran), ran


def test_workers_of_xdist_wait_for_boards_that_others_have(
    pytester: pytest.Pytester, address: str
) -> None:
    tests = "".join(f"def test_{n}(): count()\n" for n in range(10))
    pytester.makepyfile(**{f"test_{letter}": COUNTING + tests for letter in "ab"}, test_here=ON_HOST)
    pytester.runpytest_subprocess(f"--board={address}", "-n", "3").assert_outcomes(passed=21)
    with flylead.Board.connect(address) as board:
        assert len(board.files.read("ran")) == 20
        board.files.remove("ran")


def test_the_summary_says_what_failed(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile(test_a=ON_BOARD)
    for words in ([], ["-n", "1"]):
        result = pytester.runpytest_subprocess(f"--board={address}", "--junitxml=out.xml", *words)
        result.stdout.fnmatch_lines([
            "FAILED test_a.py::test_fails - AssertionError: x is no two",
            "FAILED test_a.py::test_raises - KeyError: missing",
        ])
        failures = xml.parse(pytester.path / "out.xml").getroot().iter("failure")
        messages = [failure.get("message") for failure in failures]
        assert messages == ["AssertionError: x is no two\nassert 1 == 2", "KeyError: missing"]


HANGING = """
# board: run
import time

def test_hangs():
    print("on its way")
    while True:
        time.sleep(0.01)

def test_next():
    pass
"""


def test_a_test_past_its_time_is_interrupted_and_the_next_one_runs(
    pytester: pytest.Pytester, address: str
) -> None:
    pytester.makepyfile(HANGING)
    result = pytester.runpytest_subprocess(f"--board={address}", "--board-timeout=5")
    result.assert_outcomes(passed=1, failed=1)
    assert "it exceeded its time limit of 5 s and was interrupted" in result.stdout.str()
    assert "on its way" in result.stdout.str()
    pytester.makeini("[pytest]\nboard_timeout = 6\n")
    result = pytester.runpytest_subprocess(f"--board={address}", "-k", "hangs")
    assert "it exceeded its time limit of 6 s and was interrupted" in result.stdout.str()


CLASSES = """
# board: run
import unittest

class TestBase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = True
    @classmethod
    def tearDownClass(cls):
        if cls.__name__ == "TestBase":
            raise OSError(5)
    def test_ready(self):
        self.assertTrue(self.ready)

class TestDerived(TestBase):
    def test_leaves(self):
        raise SystemExit
    def test_full(self):
        bytearray(1 << 60)
    def test_after(self):
        self.assertTrue(self.ready)
"""


def test_classes_are_set_up_and_torn_down_once_and_inherit(
    pytester: pytest.Pytester, address: str
) -> None:
    pytester.makepyfile(CLASSES)
    result = pytester.runpytest_subprocess(f"--board={address}")
    result.assert_outcomes(passed=3, failed=2, errors=1)
    text = result.stdout.str()
    assert "ERROR at teardown of TestBase.test_ready" in text and "OSError" in text
    assert "the test ended the interpreter" in text and "MemoryError" in text
    assert "_fl_" not in text


LEVELS = """
def level(n):
    assert n < 2
    return n
"""

TEST_LEVELS = """
# board: run
from levels import level

def test_low():
    assert level(1) == 1

def test_high():
    assert level(2) == 2
"""


@pytest.mark.parametrize("kind", ["address", "microbit"])
def test_a_module_beside_the_tests_is_sent_before_them(
    pytester: pytest.Pytester, kind: str, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue(kind)
    files = pytester.makepyfile(test_levels=TEST_LEVELS), pytester.makepyfile(levels=LEVELS)
    result = pytester.runpytest_subprocess(f"--board={address}")
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    assert f'File "{files[0]}", line 8' in text and f'File "{files[1]}", line 2' in text
    files[1].write_text(LEVELS.replace("< 2", "< 3"))
    # The board that exists.
    pytester.runpytest_subprocess(f"--board={address}", "--no-sync").assert_outcomes(passed=1, failed=1)
    pytester.runpytest_subprocess(f"--board={address}").assert_outcomes(passed=2)
    with flylead.Board.connect(address) as board:
        assert board.files.read("levels.py").decode() == files[1].read_text()
        board.files.remove("levels.py")


def test_modules_are_found_in_packages_in_the_current_folder_and_in_pythonpath(
    pytester: pytest.Pytester, address: str
) -> None:
    imports = "# board: run\nimport top, pack.inner, far\ndef test_a(): assert (top.x, pack.inner.x, far.x) == (1, 2, 3)\n"
    sources = {"deep/test_a.py": imports, "top.py": "x = 1", "src/far.py": "x = 3", "pack/__init__.py": ""}
    for name, source in {**sources, "pack/inner.py": "from .more import x", "pack/more.py": "x = 2"}.items():
        path = pytester.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    pytester.makeini("[pytest]\npythonpath = src\n")
    pytester.runpytest_subprocess(f"--board={address}").assert_outcomes(passed=1)
    with flylead.Board.connect(address) as board:
        for name in ("top.py", "far.py", "pack"):
            board.files.remove(name, tree=True)


def test_a_file_that_is_no_python_is_named(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(test_a="# board: run\ndef test_a(:\n")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    assert f"{path}: line 2: SyntaxError" in result.stdout.str()


STUBBORN = """
# board: run
def test_forever():
    while True:
        try:
            while True:
                pass
        except KeyboardInterrupt:
            pass

def test_after():
    assert True
"""


class Port:
    """A port that leads to one board, and the command line that makes it lead to another."""

    def __init__(self, folder: Path, now: str, then: str) -> None:
        self.path = folder / "port"
        self.path.symlink_to(now)
        self.recover = f'ln -sfn {then} "$FLYLEAD_PORT"'


@pytest.mark.parametrize("way", ["option", "environment"])
def test_a_board_that_is_lost_in_a_test_is_restarted_for_the_next(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    pytester.makepyfile(test_a=STUBBORN, test_b="# board: run\ndef test_b(): assert True")
    with started("unix") as wedged, started("unix") as other:
        port = Port(pytester.path, wedged, other)
        options = [f"--board={port.path}", "--board-timeout=2"]
        if way == "option":
            options.append(f"--recover={port.recover}")
        else:
            monkeypatch.setenv("FLYLEAD_RECOVER", port.recover)
        result = pytester.runpytest_subprocess(*options)
        result.assert_outcomes(passed=2, failed=1)


def test_without_a_way_to_restart_it_a_lost_board_fails_the_rest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_a=STUBBORN, test_b="# board: run\ndef test_b(): assert True")
    with started("unix") as wedged:
        result = pytester.runpytest_subprocess(f"--board={wedged}", "--board-timeout=2")
        result.assert_outcomes(failed=3)


def test_a_board_that_does_not_answer_is_restarted_before_the_first_test(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile("# board: run\ndef test_a(): assert True", test_here=ON_HOST)
    master, mute = os.openpty()
    try:
        port = Port(pytester.path, os.ttyname(mute), address)
        result = pytester.runpytest_subprocess(f"--board={port.path}", f"--recover={port.recover}")
        result.assert_outcomes(passed=2)
        port.path.unlink()
        port.path.symlink_to(os.ttyname(mute))
        result = pytester.runpytest_subprocess(f"--board={port.path}", "--recover=exit 3")
        result.assert_outcomes(errors=1, failed=1)
        assert "was not restarted: `exit 3` failed: exit status: 3" in result.stdout.str()
        result = pytester.runpytest_subprocess(f"--board={port.path}", "--recover= ")
        assert "write dtr, rts, or a command line" in result.stdout.str()
    finally:
        os.close(master)
        os.close(mute)


def resets(pytester: pytest.Pytester, *options: str) -> dict[str, str]:
    """Returns the outcomes of two files of two tests, each of which leaves a mark that a reset removes."""
    program = "# board: run\nimport sys\ndef check():\n    was = 'left' in sys.path\n    sys.path.append('left')\n    assert not was\n"
    tests = "def test_1(): check()\ndef test_2(): check()\n"
    pytester.makepyfile(test_a=program + tests, test_b=program + tests)
    result = pytester.runpytest_subprocess("-rA", *options)
    lines = (line.split() for line in result.outlines if line.startswith(("PASSED ", "FAILED ")))
    return {words[1]: words[0] for words in lines}


@pytest.mark.parametrize(
    "mode, passed",
    [("test", 4), ("file", 2), ("session", 1)],
)
def test_a_board_gets_a_fresh_interpreter_for_each_test_each_file_or_once(
    pytester: pytest.Pytester, address: str, mode: str, passed: int
) -> None:
    outcomes = resets(pytester, f"--board={address}", f"--board-reset={mode}")
    assert len(outcomes) == 4 and list(outcomes.values()).count("PASSED") == passed, outcomes
    pytester.makeini(f"[pytest]\nboard_reset = {mode}")
    assert resets(pytester, f"--board={address}") == outcomes


def test_each_test_on_its_own_has_its_setup_and_its_teardown(pytester: pytest.Pytester, address: str) -> None:
    pytester.makepyfile("""
        # board: run
        import pytest

        @pytest.fixture(scope="module")
        def device():
            print("set up")
            yield 5
            print("torn down")

        class TestDevice:
            @classmethod
            def setup_class(cls):
                cls.value = 1

            def test_one(self, device):
                assert device == 5 and self.value == 1
                type(self).value = 2

            def test_two(self, device):
                assert device == 5 and self.value == 1
    """)
    pytester.runpytest_subprocess(f"--board={address}", "--board-reset=test").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\nboard_reset = never")
    result = pytester.runpytest_subprocess(f"--board={address}")
    assert result.ret != 0 and "must be one of test, file, session" in result.stderr.str() + result.stdout.str()
