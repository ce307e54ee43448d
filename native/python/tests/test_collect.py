"""Tests collected from a file that runs on a board, beside those that pytest itself collects from it."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

MARK = "# board: run\n"
FORMS = {
    "plain": "def {}({}): assert {}",
    "coroutine": "async def {}({}): assert {}",
    "nested yield": "def {}({}):\n    def inner(): yield\n    assert {}",
}
PLACES = [
    "{}",
    "if True:\n{}",
    "if False:\n    pass\nelse:\n{}",
    "try:\n{}\nfinally:\n    pass",
    "try:\n    pass\nfinally:\n{}",
    "with open('/dev/null'):\n{}",
    "for n in [1]:\n{}",
    "while True:\n{}\n    break",
]
CLASSES = ["", "class TestPlain:\n{}", "class TestOuter:\n    class TestInner:\n{}", "class Case(TestCase):\n{}"]


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


def generated() -> str:
    """A file with a test of every form in every place of every kind of class."""
    parts = ["from unittest import TestCase"]
    for number, (form, place, kind) in enumerate(itertools.product(FORMS.values(), PLACES, CLASSES)):
        test = form.format(f"test_{number}", "self" if kind else "", "1 == 2")
        placed = place.format(indented(test, 4 if place != "{}" else 0))
        named = kind.replace("class Test", f"class Test{number}", 1).replace("class Case", f"class Case{number}")
        depth = kind.count("class ") * 4
        parts.append(named.format(indented(placed, depth)) if kind else placed)
    return "\n".join(parts) + "\n"


OTHERS = """
def helper(): pass
test_other_name = helper
test_lambda = lambda: None
def test_twice(): pass
def test_twice(): pass
class TestBase:
    def test_base(self): pass
class TestDerived(TestBase):
    def test_base(self): pass
    def test_own(self): pass
class Mixin:
    def test_mixed(self): pass
class TestMixed(Mixin): pass
class TestOff:
    __test__ = False
    def test_no(self): pass
class TestMade:
    def __init__(self): pass
    def test_no(self): pass
class Pins:
    def test_no(self): pass
if __name__ == "__main__":
    def test_main(): pass
"""


def collected(pytester: pytest.Pytester, source: str) -> list[str]:
    path = pytester.makepyfile(test_generated=source)
    result = pytester.runpytest_subprocess("--collect-only", "-q", "-p", "no:cacheprovider", path)
    found = [line for line in result.outlines if line.startswith("test_generated.py::")]
    assert found, result.stdout.str()
    return sorted(found)


def test_every_place_and_form_is_collected_as_by_pytest(pytester: pytest.Pytester) -> None:
    source = generated() + OTHERS
    assert collected(pytester, MARK + source) == collected(pytester, source)


def test_every_collected_test_runs_and_fails(pytester: pytest.Pytester, address: str) -> None:
    source = generated()
    pytester.makepyfile(test_generated=MARK + source)
    result = pytester.runpytest_subprocess(f"--board={address}", "-q", "--tb=line")
    result.assert_outcomes(failed=source.count("assert 1 == 2"))


def test_what_is_not_collected_is_said(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_generated=MARK + OTHERS)
    result = pytester.runpytest_subprocess("--collect-only", "-q")
    said = re.sub(r"\s+", " ", result.stdout.str())
    for remark in (
        "cannot collect test class TestMade because it has a constructor",
        "the tests of Pins do not run",
        "test_twice is defined again",
    ):
        assert remark in said, said


GENERATORS = """
# board: run
import unittest

def test_yields():
    assert 1 == 2
    yield

async def test_yields_too():
    yield 1

def inner():
    yield

def test_gives_one():
    return inner()

class TestSetUp(unittest.TestCase):
    async def setUp(self):
        pass
    def test_set_up(self):
        pass

class TestPlain:
    async def setup_method(self):
        pass
    def test_plain(self):
        pass
"""


def test_a_generator_or_coroutine_that_nobody_runs_does_not_pass(
    pytester: pytest.Pytester, address: str
) -> None:
    pytester.makepyfile(GENERATORS)
    result = pytester.runpytest_subprocess(f"--board={address}")
    # As in pytest, what fails in a setup_method is an error.
    result.assert_outcomes(failed=4, errors=1)
    text = result.stdout.str()
    assert text.count("it has a yield") >= 2 and text.count("generator or coroutine, which nobody ran") >= 3


COROUTINES = """
# board: run
import asyncio
ran = []

async def sleeps():
    await asyncio.sleep(60)

async def test_sleeps():
    await asyncio.sleep(0)
    ran.append(1)

async def test_fails():
    await asyncio.sleep(0)
    assert ran == [2], ran

async def test_leaves_a_task():
    asyncio.create_task(sleeps())

class TestPlain:
    def setup_method(self, method):
        self.value = 5
    def teardown_method(self):
        ran.append("down")
    @classmethod
    def setup_class(cls):
        cls.ready = True
    async def test_awaits(self):
        await asyncio.sleep(0)
        assert self.value == 5 and self.ready

def test_after():
    assert ran == [1, "down"], ran

if len(ran) > 5:
    def test_elsewhere():
        pass
    class TestElsewhere:
        def test_a(self):
            pass
"""


def test_coroutines_run_and_what_the_board_does_not_define_is_skipped(
    pytester: pytest.Pytester, address: str
) -> None:
    path = pytester.makepyfile(test_coroutines=COROUTINES)
    result = pytester.runpytest_subprocess(f"--board={address}", "-rs")
    result.assert_outcomes(passed=4, failed=1, skipped=2)
    text = result.stdout.str()
    assert "line 14, in test_fails" in text and "[1]" in text
    assert "the file does not define it on this board" in text
    # Written as pytest names a test.
    result = pytester.runpytest_subprocess(f"--board={address}", f"{path}::TestPlain::test_awaits")
    result.assert_outcomes(passed=1)


def test_a_board_without_asyncio_says_so(pytester: pytest.Pytester, address: str) -> None:
    without = "# board: run\nimport sys\nsys.path[:] = []\nsys.modules['asyncio'] = sys.modules['uasyncio'] = None\n"
    pytester.makepyfile(without + "async def test_a(): pass\n")
    result = pytester.runpytest_subprocess(f"--board={address}")
    assert "passed" not in result.parseoutcomes(), result.stdout.str()


FOR_THIS_COMPUTER = """
import subprocess
import pytest

@pytest.fixture(autouse=True)
def started():
    subprocess.run(["true"])

@pytest.fixture
def process():
    return subprocess.Popen(["true"])
"""


def test_a_conftest_for_this_computer_concerns_only_tests_that_request_its_fixtures(
    pytester: pytest.Pytester, address: str
) -> None:
    pytester.makeconftest(FOR_THIS_COMPUTER)
    files = {
        "test_plain": "def test_a(): pass\n",
        "test_pytest": "import pytest\ndef test_b(): pass\n",
        "test_request": "def test_c(process): pass\n",
    }
    pytester.makepyfile(**{name: MARK + source for name, source in files.items()})
    result = pytester.runpytest_subprocess(f"--board={address}")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["ERROR test_request.py::test_c - ImportError: no module named 'subprocess'"])


def test_marks_of_ones_own_select(pytester: pytest.Pytester, address: str) -> None:
    source = "import pytest\n@pytest.mark.slow\ndef test_a(): pass\ndef test_b(): pass\n"
    pytester.makepyfile(MARK + source)
    pytester.makeini("[pytest]\nmarkers =\n    slow: takes long\n")
    for words, passed in (["-m", "slow"], 1), (["-m", "not slow"], 1), ([], 2):
        result = pytester.runpytest_subprocess(f"--board={address}", "--strict-markers", *words)
        result.assert_outcomes(passed=passed, deselected=2 - passed)


def test_computed_parameters_say_so(pytester: pytest.Pytester, address: str) -> None:
    source = "import pytest, sys\n@pytest.mark.parametrize('n', sys.path)\ndef test_a(n): pass\n"
    pytester.makepyfile(MARK + source)
    result = pytester.runpytest_subprocess(f"--board={address}")
    result.assert_outcomes(failed=1)
    assert "write them as a list of literals" in result.stdout.str()
