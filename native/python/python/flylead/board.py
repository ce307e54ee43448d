"""Boards for programs that wait: ``Board``, its ``files``, its ``repl`` and its running ``Program``."""

from __future__ import annotations

import atexit
import functools
import sys
import weakref
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional, TypeVar, Union

from . import calls, requests
from ._flylead import Request, Session
from .closing import Closing
from .errors import BoardRaised, BoardTimeout, FlyleadError
from .prompt import Until
from .requests import Entries, Source, Tree
from .running import Running, Started
from .values import Entry, Progress, Space, parse_repr

OnOutput = Callable[[bytes], object]
OnProgress = Callable[[Progress], object]
Function = TypeVar("Function", bound=Callable[..., Any])


class Board(Closing):
    """A MicroPython board.

    Any thread may use it: requests take turns. While a method waits, other Python threads run. Ctrl-C stops the program
    on the board and raises ``KeyboardInterrupt``.

    Methods raise ``LinkLost`` if the board is gone, ``BoardClosed`` after ``close``, and ``BoardBusy`` at once if they
    would wait for a program of ``run`` whose output this thread has not read to its end.

    At a board that ``flylead serve`` shares, other tools get their turns between two requests: as soon as this program
    makes none for a moment, and after half a second in any case. ``turn`` keeps the board for several requests. A request
    that does not get its turn within the ``timeout`` of ``connect`` raises ``OpenError``, which says who has the board.
    """

    def __init__(self, session: Session, address: str = "") -> None:
        self._session = session
        self._address = address
        self.files = Files(self)
        """The board's files."""
        self.repl = Repl(self)
        """The board's own prompt, as bytes."""
        self._started: Started[Program] = Started(get_ident)
        self._teardowns: list[Callable[[], Any]] = []
        _open_boards.add(self)

    @classmethod
    def connect(cls, address: str = "auto", timeout: float = 10, recover: Optional[str] = None) -> Board:
        """Opens the link to a board, within ``timeout`` seconds. Nothing on the board changes yet.

        With ``recover``, the board has to take a program, and one that does not answer is restarted once: ``"dtr"`` and
        ``"rts"`` set these lines of its port, and any other text is a command line that switches its power, such as
        ``"uhubctl -l 1-1 -p 2 -a cycle"``, which finds the address in the variable ``FLYLEAD_PORT``.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        session = Session(address)
        session.call(Request.open(timeout, requests.who(), recover))
        return cls(session, address)

    def __repr__(self) -> str:
        return f"<Board {self._address}>"

    def close(self) -> None:
        """Stops what this program left running, leaves the board at its normal prompt and closes the link. Other
        threads that wait for the board get ``BoardClosed``.

        A board that is gone, or that does not stop within three seconds, is closed all the same. ``close`` may be
        called twice. Raises the ``BoardRaised`` of a ``teardown``, once the board is closed.
        """
        _open_boards.discard(self)
        program = self._started.last()
        if program is not None:
            program.close()
        self._started.forget()
        try:
            self._tear_down()
        finally:
            try:
                self._session.call(Request.close())
            except FlyleadError:
                pass

    def _tear_down(self) -> None:
        teardowns, self._teardowns = self._teardowns, []
        raised: Optional[BoardRaised] = None
        for run in reversed(teardowns):
            try:
                run()
            except BoardRaised as error:
                raised = raised or error
            except FlyleadError:
                # The board is gone, or another thread closes it.
                break
        if raised is not None:
            raise raised

    def exec(
        self,
        source: Source,
        timeout: Optional[float] = None,
        on_output: Optional[OnOutput] = None,
    ) -> bytes:
        """Runs a program to its end and returns its output, or passes the output to ``on_output`` as it arrives.

        ``on_output`` cannot use the board, which is busy: it gets ``BoardBusy``.

        After ``timeout`` seconds, the program is interrupted. A program that ran on the board before is interrupted,
        too; its variables stay.

        Raises ``BoardRaised``, ``BoardTimeout``, ``BoardExited`` and ``BoardRestarted``; ``ValueError`` for bytes 1 to 4
        in the source, which the board's protocol takes for commands.

        >>> board.exec("print(sum(range(5)))").strip()
        b'10'
        """
        return self._ask(requests.program(source, timeout), on_output)[0]

    def eval(self, expression: str, timeout: Optional[float] = None) -> Any:
        """Returns the value of an expression: a Python value if it consists of literals, and a ``Repr`` otherwise.

        Raises the exceptions of ``exec``.

        >>> board.eval("1, 'a', b'b', [None, {2.5: True}]")
        (1, 'a', b'b', [None, {2.5: True}])
        """
        return parse_repr(self._ask(Request.eval(expression, timeout))[1])

    def call(
        self, function: Callable[..., Any], *values: Any, timeout: Optional[float] = None, **named: Any
    ) -> Any:
        """Runs a function of this program on the board and returns its value, as ``eval`` does.

        Its source is sent without its decorators, and stays on the board under its name. On the board, it can use what
        it imports itself, and what earlier programs have defined. ``async def`` functions run in ``asyncio.run``.

        Raises the exceptions of ``exec``; ``TypeError`` for values without a literal, and ``ValueError`` for functions
        that cannot run on a board: lambdas, generators, and functions that use names of an enclosing function.
        """
        sent = calls.call(function, values, named)
        self.exec(sent.source, timeout)
        return self.eval(sent.expression, timeout)

    def task(self, function: Function) -> Function:
        """Decorates a function that runs on the board whenever it is called here, by ``call``.

        >>> @board.task
        ... def add(a, b):
        ...     return a + b
        >>> add(2, 3)
        5
        """

        @functools.wraps(function)
        def run(*values: Any, **named: Any) -> Any:
            return self.call(function, *values, **named)

        return run  # type: ignore[return-value]

    def setup(self, function: Function) -> Function:
        """Decorates a function like ``task``, whose names stay on the board as global ones, for tasks to use. It
        returns nothing.

        >>> @board.setup
        ... def prepare():
        ...     import time
        ...     started = time.time()
        >>> prepare()
        >>> board.eval("started > 0")
        True
        """

        @functools.wraps(function)
        def run(*values: Any, **named: Any) -> None:
            from .remote import in_globals

            self.exec(in_globals(function, values, named))

        return run  # type: ignore[return-value]

    def teardown(self, function: Function) -> Function:
        """Decorates a function without arguments that ``close`` runs on the board, the last one first. Names that it
        assigns are global ones, as in ``setup``."""
        run = self.setup(function)
        self._teardowns.append(run)
        return run

    def thread(self, function: Function) -> Function:
        """Decorates a function like ``task`` that runs in a thread of the board, if the board has threads. A call
        returns at once, and the thread goes on beside later requests."""

        @functools.wraps(function)
        def run(*values: Any, **named: Any) -> None:
            from .remote import in_thread

            self.exec(in_thread(function, values, named))

        return run  # type: ignore[return-value]

    def proxy(self, expression: str) -> Any:
        """Returns an object of the board, whose attributes and methods are used as if it were here."""
        from .remote import Proxy

        return Proxy(self, expression)

    def command(self, *words: str, timeout: Optional[float] = None) -> str:
        """Runs the ``flylead`` command for this board, such as ``board.command("install", "umqtt.simple")``, and returns
        its output. Meanwhile the link of this object is closed; its next request opens it again.

        Raises ``CommandFailed``, with the exit code and the output, and ``subprocess.TimeoutExpired``.
        """
        from .__main__ import run

        self._call(Request.rest())
        return run(["--port", self._address, *words], timeout)

    def run(self, source: Source, timeout: Optional[float] = None) -> Program:
        """Starts a program; the ``Program`` yields its output as it arrives, and accepts its input.

        The program occupies the board until its output is read to the end, or until ``close``. The thread that reads
        the output, which is the one that started the program until another one reads, gets ``BoardBusy`` from any other
        request to the board before that.

        >>> for piece in board.run("for i in range(3): print(i)"):
        ...     assert isinstance(piece, bytes)
        """
        job = self._session.start(requests.program(source, timeout))
        return self._started.add(Program(job, self._started))

    def interrupt(self) -> None:
        """Presses Ctrl-C for the program that ``run`` started last; it raises ``KeyboardInterrupt``."""
        program = self._started.last()
        if program is not None:
            program.interrupt()

    def soft_reset(self) -> None:
        """Restarts the interpreter: every variable is gone, ``boot.py`` has run, ``main.py`` has not."""
        self._call(Request.soft_reset())

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keeps the turn at a shared board within the block: other tools wait until its end, so they change no variable
        and no file in between.

        >>> with board.turn():
        ...     board.exec("total = 0")
        ...     board.exec("total += 1")
        b''
        b''
        """
        self._keep(True)
        try:
            yield
        finally:
            self._keep(False)

    def _keep(self, keeps: bool) -> None:
        if keeps:
            self._call(Request.keep(True))
            return
        try:
            # It is not waited for: a program whose output is unread may come first.
            self._session.start(Request.keep(False))
        except FlyleadError:
            # A board that was closed keeps no turn.
            pass

    def _leave(self) -> None:
        self._call(Request.leave())

    def _call(self, request: Request, on_progress: Optional[OnProgress] = None) -> Any:
        report = requests.reporter(on_progress)
        return self._ask(request, None, report)[1]

    def _ask(
        self,
        request: Request,
        on_output: Optional[OnOutput] = None,
        report: Optional[Callable[[int, Optional[int], int], object]] = None,
    ) -> tuple[bytes, Any]:
        """Returns the output of a request, and its value. Raises ``BoardBusy`` for a request that would never get its
        turn."""
        self._started.refuse_to_wait()
        if on_output is None and report is None:
            return self._session.call(request)
        with self._started.telling():
            return self._session.call(request, on_output, report)


class Program(Running):
    """A program on a board, and an iterator over its output, in pieces of bytes as they arrive.

    Iteration ends with the program, and raises the exceptions of ``Board.exec``. ``close`` stops the program, and so
    does the end of a ``with`` block.
    """

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._next_within(None)
        if piece is None:
            raise StopIteration
        return piece

    def _next_within(self, timeout: Optional[float]) -> Optional[bytes]:
        """Returns the next piece of output; ``None`` at the end. Raises ``BoardTimeout`` after ``timeout`` seconds
        without one."""
        if not self._ended:
            self._begin_to_read()
        while not self._ended:
            try:
                piece = self._output(self._job.next(timeout))
            except BoardTimeout:
                if timeout is None:
                    self._ended = True
                raise
            except RuntimeError:
                # Another thread reads, and continues.
                raise
            except BaseException:
                self._ended = True
                raise
            if piece is not None:
                return piece
        return None


class Repl:
    """The board's own prompt, as bytes.

    >>> board.repl.write("print(6 * 7)\\r\\n")
    >>> board.repl.read_until(b"42")[-2:]
    b'42'

    Keys go to the prompt, or to the program that runs there: Enter is ``\\r``, Ctrl-C ``\\x03``, Ctrl-D restarts the
    interpreter. Output that is not read before the next request is dropped; variables stay.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._unread = b""

    def write(self, data: Union[bytes, str], timeout: float = 10) -> None:
        """Types at the prompt, to which the board returns first if necessary. Raises ``BoardTimeout`` if the board does
        not accept all of it within ``timeout`` seconds."""
        self._board._call(Request.type_at_prompt(requests.content(data), timeout))

    def read(self, timeout: float = 1) -> bytes:
        """Returns the board's next output within ``timeout`` seconds; empty if it is silent.

        After another request, the board is silent until something is written.
        """
        unread, self._unread = self._unread, b""
        return unread or self._hear(timeout)

    def read_until(self, end: bytes, timeout: float = 10) -> bytes:
        """Returns the board's output up to ``end``. Raises ``BoardTimeout``, with the output so far as its ``output``,
        if ``end`` does not arrive within ``timeout`` seconds or within 1 MiB."""
        until, self._unread = Until(end, timeout, self._unread), b""
        while not until.is_there():
            until.add(self._hear(until.left()))
        came, self._unread = until.split()
        return came

    def _hear(self, timeout: float) -> bytes:
        said: bytes = self._board._call(Request.hear(timeout))
        return said


class Files:
    """A board's files. Paths are the board's: ``/lib/a.py``, or relative to its current directory.

    Methods raise ``FileError``; a file that was to be replaced is then unchanged, unless the error says otherwise.
    """

    def __init__(self, board: Board) -> None:
        self._board = board

    def list(self, path: str = "") -> Entries:
        """Returns the entries of a directory, by name."""
        return requests.entries(self._board._call(Request.list(path)))

    def tree(self, path: str = "", hashes: bool = False) -> Entries:
        """Returns all entries below a directory, with names relative to it; with their SHA-256 if ``hashes``."""
        return requests.entries(self._board._call(Request.tree(path, hashes)))

    def stat(self, path: str) -> Entry:
        """Returns one file or directory."""
        return Entry(*self._board._call(Request.stat(path)))

    def exists(self, path: str) -> bool:
        """Returns true if an entry of that name exists."""
        return requests.exists(lambda: self.stat(path))

    def read(self, path: str, on_progress: Optional[OnProgress] = None) -> bytes:
        """Returns a file's content, after comparing its hash with the board's.

        >>> board.files.write("a.txt", b"abc")
        >>> board.files.read("a.txt")
        b'abc'
        """
        data: bytes = self._board._call(Request.read(path), on_progress)
        return data

    def write(
        self, path: str, data: Union[bytes, str], on_progress: Optional[OnProgress] = None
    ) -> None:
        """Replaces or creates a file. The old one stays until the new one is complete on the board. Text is written as
        UTF-8."""
        self._board._call(Request.write(path, requests.content(data)), on_progress)

    def append(self, path: str, data: Union[bytes, str]) -> None:
        """Appends to a file."""
        self._board._call(Request.append(path, requests.content(data)))

    def write_tree(self, tree: Tree, on_progress: Optional[OnProgress] = None) -> None:
        """Writes many files and makes directories in few exchanges; ``None`` as content stands for a directory.

        Directories may exist already; missing parents are made. Entries before an error are on the board.

        >>> board.files.write_tree({"lib/a.py": b"A = 1", "lib/b.py": "B = 2", "data": None})
        >>> [entry.name for entry in board.files.list("lib")]
        ['a.py', 'b.py']
        """
        self._board._call(requests.write_tree(tree), on_progress)

    def sync(
        self,
        source: requests.Folder,
        target: str = "",
        delete: bool = False,
        on_progress: Optional[OnProgress] = None,
    ) -> requests.Synced:
        """Makes ``target`` on the board equal to the folder ``source`` of this computer; only files with different
        hashes are sent. With ``delete``, entries that the folder does not have are removed from ``target``.

        Version control, caches, secrets (``*.pem``, ``.env``) and files that git ignores are left out, as by ``flylead
        sync``, and no link leads out of the folder. Raises ``OSError`` for files that cannot be read here.
        """
        wanted = requests.folder(source)
        there = self.tree(target, hashes=True) if not target or self.exists(target) else []
        plan = requests.plan(wanted, there, target, delete)
        if plan.write:
            self.write_tree(plan.write, on_progress)
        for path in plan.remove:
            self.remove(path, tree=True)
        return plan.synced

    def remove(self, path: str, tree: bool = False) -> None:
        """Removes a file or an empty directory; with ``tree``, also a directory with all of its content."""
        self._board._call(Request.remove(path, tree))

    def make_directory(self, path: str, parents: bool = False) -> None:
        """Makes a directory; with ``parents``, also its missing parents, and it may exist already."""
        self._board._call(Request.make_directory(path, parents))

    def rename(self, source: str, target: str) -> None:
        """Renames a file or directory."""
        self._board._call(Request.rename(source, target))

    def touch(self, path: str) -> None:
        """Creates an empty file, unless the file exists."""
        self._board._call(Request.touch(path))

    def space(self, path: str = "/") -> Space:
        """Returns the size of the file system that ``path`` is on, in bytes."""
        return Space(*self._board._call(Request.space(path)))

    def sha256(self, path: str) -> bytes:
        """Returns a file's SHA-256, computed by the board."""
        digest: bytes = self._board._call(Request.sha256(path))
        return digest


_open_boards: weakref.WeakSet[Board] = weakref.WeakSet()


@atexit.register
def _close_boards() -> None:
    for board in list(_open_boards):
        try:
            board.close()
        except BoardRaised as raised:
            print(raised, file=sys.stderr)
