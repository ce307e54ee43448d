"""The pytest plugin: fixtures `board` and `boards`, and test files that run on a board.

::

    pytest --board=/dev/ttyACM0 --board=tcp://192.168.4.1:2323

(With a blank instead of ``=``, pytest takes the path of a port for that of a test, and ``/dev`` for its root folder.)

A file runs on the board if it has the comment ``# board: run`` before its first statement, or matches a pattern of
``board_tests`` in pytest's configuration: its functions ``test_*`` and its ``unittest.TestCase`` classes run in an
interpreter that is fresh for the file. The modules of this computer that it imports are sent first, if they differ from
those on the board: from its own folder, the current one, and those of pytest's ``pythonpath``. All other files run on
this computer, and may use the fixtures. A test on the board that takes longer than ``--board-timeout`` seconds is
interrupted and has failed. With ``--board-reset=test``, each test gets a fresh interpreter. A board that does not answer,
or that is lost in a test, is restarted for the next one by ``--recover``. With pytest-xdist, each worker takes a board of its own, and waits while others use them.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import groupby, starmap
from pathlib import Path
from typing import Any, Optional, Union

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from ._flylead import TestFile
from .board import Board
from .errors import BoardRaised, FlyleadError, LinkLost
from .held import Held
from .onboard import Name, OnBoard, Result

_MARK = re.compile(rb"#\s*board:\s*run\s*$")
_boards = pytest.StashKey[dict[str, Board]]()
_current = pytest.StashKey[Optional["BoardFile"]]()
_held = pytest.StashKey[Held]()
_used = pytest.StashKey[set[str]]()


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
        "--board-reset",
        choices=_RESETS,
        help="when a board gets a fresh interpreter: before each test, before each file that runs on it, or once "
        "(default: board_reset of the configuration, or file)",
    )
    group.addoption(
        "--no-reset",
        action="store_true",
        help="leave out the soft reset before each file that runs on a board",
    )
    group.addoption(
        "--no-sync",
        action="store_true",
        help="send no modules to boards: those there are the right ones",
    )
    group.addoption(
        "--board-timeout",
        type=float,
        metavar="SECONDS",
        help="how long a test on a board may take; 0 is no limit (default: board_timeout of the configuration, or 60)",
    )
    group.addoption(
        "--recover",
        metavar="HOW",
        default=os.environ.get("FLYLEAD_RECOVER") or None,
        help="restart a board that does not answer, or that is lost in a test: dtr, rts, or a command line that switches its "
        "power, such as 'uhubctl -l 1-1 -p 2 -a cycle', with the address in FLYLEAD_PORT (default: FLYLEAD_RECOVER of the "
        "environment)",
    )
    parser.addini("board_reset", "when a board gets a fresh interpreter: test, file or session", default="file")
    parser.addini("board_timeout", "seconds that a test on a board may take; 0 is no limit", default="60")
    parser.addini("board_tests", "patterns of test files that run on a board", "args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_boards] = {}
    config.stash[_current] = None
    config.stash[_used] = set()
    if config.getini("board_reset") not in _RESETS:
        raise pytest.UsageError(f"board_reset of the configuration must be one of {', '.join(_RESETS)}")


def pytest_unconfigure(config: pytest.Config) -> None:
    current = config.stash[_current]
    if current is not None:
        current.leave()
    for board in config.stash[_boards].values():
        board.close()
    if _held in config.stash:
        config.stash[_held].release()


@pytest.fixture(scope="session")
def boards(pytestconfig: pytest.Config) -> list[Board]:
    """The boards of `--board`: all of them, or those of this worker with pytest-xdist."""
    return [_connected(pytestconfig, address) for address in _addresses(pytestconfig)]


@pytest.fixture
def board(boards: list[Board]) -> Board:
    """The board of `--board`, or the first one of this worker."""
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

    file: Optional[TestFile] = None
    error: Optional[BaseException] = None
    on_board: Optional[OnBoard] = None
    last: Optional[Name] = None
    """Last test of the class whose `setUpClass` has run."""
    set_up: Optional[Result] = None
    """Result of the setup."""
    turn: Optional[AbstractContextManager[None]] = None
    """Turn at the board."""

    def collect(self) -> Iterator[Union[pytest.Item, pytest.Collector]]:
        file = self._file()
        for line, message in file.remarks:
            self.warn(pytest.PytestCollectionWarning(f"line {line}: {message}"))
        yield from _nodes(self, [(_path(name), name) for name in starmap(Name, file.tests)])

    def _file(self) -> TestFile:
        if self.file is None:
            try:
                self.file = TestFile(self.path, _roots(self.config))
            except (SyntaxError, OSError) as error:
                raise self.CollectError(f"{self.path}: {error}") from error
        return self.file

    def run(self, test: Name) -> Result:
        """Runs a test, once the file is on the board and its class's `setUpClass` has run there."""
        if test.refusal is not None:
            return Result("fail", 0, test.refusal, "")
        try:
            return self._run(test)
        except LinkLost:
            self._lost()
            raise

    def _run(self, test: Name) -> Result:
        on_board = self._on_board()
        if self.last is None or test.class_name != self.last.class_name:
            self.end_class()
            self.set_up = on_board.set_up_class(test)
        self.last = test
        if self.set_up is not None and self.set_up.kind != "ok":
            return self.set_up._replace(in_setup=True)
        result = on_board.run(test)
        if not on_board.is_ready:
            self.on_board = self.last = self.set_up = None
        return result

    def _on_board(self) -> OnBoard:
        current = self.config.stash[_current]
        if current is not self:
            if current is not None:
                current.leave()
            self.config.stash[_current] = self
        # A failure that keeps one test of the file from running keeps all of them.
        if self.error is not None:
            raise self.error
        if self.on_board is None:
            address = _addresses(self.config)[0]
            board = _connected(self.config, address)
            if self.turn is None:
                # Other tools of a shared board must not come between two tests.
                self.turn = board.turn()
                self.turn.__enter__()
            reset = self._resets(address)
            sync = not self.config.getoption("--no-sync")
            timeout = _timeout(self.config)
            rewrites = self.config.getoption("assertmode", "rewrite") != "plain"
            try:
                self.on_board = OnBoard(board, self._file(), timeout, reset, sync, rewrites)
            except BoardRaised as raised:
                self.error = raised
                if raised.exception == "SkipTest":
                    self.error = pytest.skip.Exception(raised.message)
                raise self.error from raised
            except (FlyleadError, OSError, ValueError) as error:
                if not (isinstance(error, LinkLost) and self.config.getoption("--recover")):
                    self.error = error
                raise
        return self.on_board

    def _resets(self, address: str) -> bool:
        """Returns true if the board gets a fresh interpreter for the file, or for a test of it."""
        used = self.config.stash[_used]
        is_new = address not in used
        used.add(address)
        return not self.config.getoption("--no-reset") and (is_new or _reset(self.config) != "session")

    def _lost(self) -> None:
        """Gives a board up that is lost: with ``--recover``, the next test finds it restarted."""
        self.on_board = self.last = self.set_up = self.turn = None
        if self.config.getoption("--recover"):
            boards = self.config.stash[_boards]
            boards.pop(_addresses(self.config)[0]).close()

    def end_class(self) -> None:
        """Runs the `tearDownClass` of the class whose tests have run."""
        last, set_up, self.last, self.set_up = self.last, self.set_up, None, None
        if last is None or self.on_board is None or (set_up is not None and set_up.kind != "ok"):
            return
        result = self.on_board.tear_down_class(last)
        if result is not None and (result.kind == "fail" or result.torn):
            raise BoardTestFailed(result.torn or result.text)

    def finish(self) -> None:
        """Tears down the fixtures of the file, whose tests have run."""
        result = self.on_board.finish() if self.on_board is not None else None
        if result is not None and (result.kind == "fail" or result.torn):
            raise BoardTestFailed(result.torn or result.text)

    def leave(self) -> None:
        """Releases the board for another file."""
        on_board, self.on_board = self.on_board, None
        turn, self.turn = self.turn, None
        if on_board is not None:
            try:
                on_board.leave()
            except FlyleadError:
                # The next file reports the fault of the board.
                pass
        if turn is not None:
            turn.__exit__(None, None, None)


class BoardClass(pytest.Collector):
    """A class of a file that runs on a board."""

    def __init__(self, *, tests: Tests, **rest: Any) -> None:
        super().__init__(**rest)
        self.tests = tests

    def collect(self) -> Iterator[Union[pytest.Item, pytest.Collector]]:
        yield from _nodes(self, self.tests)


# Each with the names of the classes that enclose it.
Tests = list[tuple[list[str], Name]]


def _path(name: Name) -> list[str]:
    return name.class_name.split(".") if name.class_name else []


def _nodes(parent: pytest.Collector, tests: Tests) -> Iterator[Union[pytest.Item, pytest.Collector]]:
    """Returns the tests, with those of a class together, as pytest orders its own."""
    for class_name, group in groupby(tests, lambda test: test[0][:1]):
        if class_name:
            within = [(path[1:], name) for path, name in group]
            yield BoardClass.from_parent(parent, name=class_name[0], tests=within)
        else:
            for _, name in group:
                yield BoardItem.from_parent(parent, name=name.function, test=name)


class BoardItem(pytest.Item):
    """A test on a board."""

    # Plugins such as labgrid's read this attribute of every test.
    fixturenames: list[str] = []

    def __init__(self, *, test: Name, **rest: Any) -> None:
        super().__init__(**rest)
        self.test = test
        for mark in set(test.marks) - _ON_BOARD:
            self.add_marker(mark)

    @property
    def file(self) -> BoardFile:
        file = self.getparent(BoardFile)
        assert file is not None
        return file

    in_setup = False
    """True once the setup on the board has failed."""
    torn = ""
    """Tracebacks of the teardown on the board."""

    def runtest(self) -> None:
        result = self.file.run(self.test)
        self.in_setup, self.torn = result.in_setup, result.torn
        if result.output:
            self.add_report_section("call", "board", result.output)
        if result.kind == "skip":
            pytest.skip(result.text)
        if result.kind == "xfail":
            pytest.xfail(result.text or "expected failure")
        if result.kind == "xpass":
            self.add_marker(pytest.mark.xfail(reason=result.text))
        if result.kind == "fail":
            raise BoardTestFailed(result.text)

    def teardown(self) -> None:
        if self.torn:
            raise BoardTestFailed(self.torn)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        error = excinfo.value
        if isinstance(error, (BoardTestFailed, FlyleadError, OSError)):
            return self._shown(str(error))
        return super().repr_failure(excinfo, style)

    def _shown(self, text: str) -> Any:
        """Converts a traceback of the board to one of pytest's own, whose message the summary and reports show."""
        message = "\n".join(_raised(text)) or text
        where = ReprFileLocation(str(self.path), self.test.line, message)
        return ReprExceptionInfo(ReprTraceback([ReprEntryNative([text.rstrip() + "\n"])], None, "native"), where)

    def reportinfo(self) -> tuple[Path, Optional[int], str]:
        return self.path, self.test.line - 1, ".".join([*_path(self.test), self.name])


def _raised(text: str) -> list[str]:
    """Returns the exception and its message, at the end of a traceback; for an assert, the compared values, as in
    pytest."""
    lines = text.rstrip().splitlines()
    frames = [at for at, line in enumerate(lines) if line.startswith(("  File ", "Traceback ", "  [Previous"))]
    raised = lines[frames[-1] + 1 :] if frames else lines
    if raised and raised[0].startswith("AssertionError: assert "):
        raised[0] = raised[0][len("AssertionError: ") :]
    return raised


# Runs after pytest's own hook, which has to finish even if this one raises an exception.
@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: Optional[pytest.Item]) -> None:
    if isinstance(item, BoardItem):
        following = nextitem if isinstance(nextitem, BoardItem) else None
        if _reset(item.config) == "test":
            following = None
        try:
            if following is None or _class_of(following) != _class_of(item):
                item.file.end_class()
            if following is None or following.file is not item.file:
                item.file.finish()
        finally:
            if _reset(item.config) == "test":
                item.file.leave()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome = yield
    if not isinstance(item, BoardItem) or call.excinfo is None:
        return
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.failed and call.when == "call" and item.in_setup:
        # The board ran the setup, too: as in pytest, its failure is an error.
        report.when = "setup"
    if report.failed and call.when == "teardown":
        # pytest asks a test only for its failures during the call.
        report.longrepr = item.repr_failure(call.excinfo)


def _class_of(item: BoardItem) -> tuple[BoardFile, Optional[str]]:
    return item.file, item.test.class_name


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


def _roots(config: pytest.Config) -> list[Path]:
    """Returns the folders to search for modules, besides a test's own."""
    try:
        added: list[Path] = config.getini("pythonpath")
    except ValueError:
        # pytest before 7.0 has no such setting.
        added = []
    return [config.invocation_params.dir, *added]


def _timeout(config: pytest.Config) -> Optional[float]:
    seconds = config.getoption("--board-timeout")
    if seconds is None:
        seconds = float(config.getini("board_timeout"))
    return seconds or None


def _reset(config: pytest.Config) -> str:
    reset: str = config.getoption("--board-reset") or config.getini("board_reset")
    return reset


def _addresses(config: pytest.Config) -> list[str]:
    """Returns the boards of this process: with pytest-xdist, one for each worker, which waits until one is free."""
    addresses: list[str] = config.getoption("--board")
    if not addresses:
        pytest.fail("no board is given: name its address with --board=ADDRESS", pytrace=False)
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return addresses
    if _held not in config.stash:
        number = int(str(worker["workerid"]).lstrip("gw"))
        run = f"flylead-{worker['testrunuid']}"
        config.stash[_held] = Held.first(run, len(addresses), number)
    held = config.stash[_held].number
    return addresses[held : held + 1]


def _connected(config: pytest.Config, address: str) -> Board:
    boards = config.stash[_boards]
    if address not in boards:
        boards[address] = Board.connect(address, recover=config.getoption("--recover"))
    return boards[address]


# Values of ``--board-reset``.
_RESETS = ["test", "file", "session"]
# Marks that the board itself carries out.
_ON_BOARD = {"skip", "skipif", "xfail", "parametrize", "usefixtures"}
# Limit of a line with a mark, in bytes.
_LONGEST = 1024
