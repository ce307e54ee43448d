"""The pytest plugin: fixtures `board` and `boards`, and test files that run on a board.

::

    pytest --board=/dev/ttyACM0 --board=tcp://192.168.4.1:2323

(With a blank instead of ``=`` pytest takes a port's path for that of a test, and ``/dev`` for its root folder.)

Each file that has, before its first statement, the comment ``# board: run``, or that matches a pattern of ``board_tests`` in pytest's
configuration, runs on the board as a whole: its functions ``test_*`` and its ``unittest.TestCase`` classes. All others
run on this computer, and may take the fixtures. With pytest-xdist each worker takes a board of its own, in turn.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

from .board import Board
from .errors import BoardRaised, FlyleadError
from .onboard import Result, names_in, run

_MARK = re.compile(rb"#\s*board:\s*run\s*$")
_boards = pytest.StashKey[dict[str, Board]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("flylead")
    group.addoption(
        "--board",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a MicroPython board for tests; may be given several times",
    )
    group.addoption(
        "--no-reset",
        action="store_true",
        help="leave out the soft reset before each file that runs on a board",
    )
    parser.addini("board_tests", "patterns of test files that run on a board", "args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_boards] = {}


def pytest_unconfigure(config: pytest.Config) -> None:
    for board in config.stash[_boards].values():
        board.close()


@pytest.fixture(scope="session")
def boards(pytestconfig: pytest.Config) -> list[Board]:
    """The boards of `--board`: all of them, or with pytest-xdist those of this worker."""
    return [_connected(pytestconfig, address) for address in _addresses(pytestconfig)]


@pytest.fixture
def board(boards: list[Board]) -> Board:
    """The board of `--board`; the first of this worker's."""
    return boards[0]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    if file_path.suffix != ".py" or not _runs_on_board(file_path, parent.config):
        return None
    file: pytest.Collector = BoardFile.from_parent(parent, path=file_path)
    return file


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> Optional[Any]:
    # pytest's own collector would import the file here.
    if _runs_on_board(module_path, parent.config):
        return _Nothing.from_parent(parent, path=module_path)
    return None


class _Nothing(pytest.File):
    def collect(self) -> list[pytest.Item]:
        return []


class BoardFile(pytest.File):
    """A file that runs on a board."""

    results: Optional[dict[str, Result]] = None
    error: Optional[FlyleadError] = None

    def collect(self) -> Iterator[pytest.Item]:
        try:
            names = names_in(self.path.read_bytes(), str(self.path))
        except SyntaxError as error:
            raise self.CollectError(str(error)) from error
        for name, line in names:
            yield BoardItem.from_parent(self, name=name, line=line)

    def on_board(self, board: Board, wanted: list[str], reset: bool) -> dict[str, Result]:
        """The results of all wanted tests, which run once, in one program."""
        if self.error is not None:
            raise self.error
        if self.results is None:
            try:
                if reset:
                    board.soft_reset()
                self.results = run(board, self.path.read_bytes(), str(self.path), wanted)
            except FlyleadError as error:
                self.error = error
                raise
        return self.results


class BoardItem(pytest.Item):
    """A test on a board."""

    parent: BoardFile
    # Plugins such as labgrid's look here at every test.
    fixturenames: list[str] = []

    def __init__(self, *, line: int, **rest: Any) -> None:
        super().__init__(**rest)
        self.line = line

    def runtest(self) -> None:
        board = _connected(self.config, _addresses(self.config)[0])
        wanted = [item.name for item in self.session.items if item.parent is self.parent]
        results = self.parent.on_board(board, wanted, not self.config.getoption("--no-reset"))
        result = results.get(self.name)
        if result is None:
            raise BoardTestFailed("the board's program ended before this test")
        if result.output:
            self.add_report_section("call", "board", result.output)
        if result.kind == "skip":
            pytest.skip(result.text)
        if result.kind == "xfail":
            pytest.xfail(result.text or "expected failure")
        if result.kind == "fail":
            raise BoardTestFailed(result.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if isinstance(error, (BoardTestFailed, BoardRaised, FlyleadError)):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, Optional[int], str]:
        return self.path, self.line - 1, self.name


class BoardTestFailed(Exception):
    """A test on a board failed; the text is the board's traceback, with this computer's file."""


def _runs_on_board(path: Path, config: pytest.Config) -> bool:
    patterns = config.getini("board_tests")
    if any(fnmatch.fnmatch(str(path), f"*{pattern}") for pattern in patterns):
        return True
    with path.open("rb") as file:
        for line in iter(lambda: file.readline(_LONGEST), b""):
            if _MARK.match(line):
                return True
            if line.strip() and not line.startswith(b"#"):
                return False
    return False


def _addresses(config: pytest.Config) -> list[str]:
    """The boards of this process: one of all for each worker of pytest-xdist, in turn."""
    addresses: list[str] = config.getoption("--board")
    if not addresses:
        pytest.fail("no board is given: name its address with --board=ADDRESS", pytrace=False)
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return addresses
    number = int(str(worker["workerid"]).lstrip("gw"))
    if number >= len(addresses):
        message = f"worker {number} has no board: give as many --board=ADDRESS as workers (-n {len(addresses)})"
        pytest.fail(message, pytrace=False)
    return addresses[number : number + 1]


def _connected(config: pytest.Config, address: str) -> Board:
    boards = config.stash[_boards]
    if address not in boards:
        boards[address] = Board.connect(address)
    return boards[address]


# No line with a mark has more bytes.
_LONGEST = 1024
