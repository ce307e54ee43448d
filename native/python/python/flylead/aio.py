"""Boards for asyncio: the same names as ``flylead.Board``, to be awaited.

>>> import asyncio
>>> from flylead import aio
>>> async def main():
...     async with aio.Board.connect(address) as board:
...         return await board.eval("6 * 7")
>>> asyncio.run(main())
42
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from . import requests
from ._flylead import Job, Request, Session
from .board import OnOutput, OnProgress
from .errors import FileError, FlyleadError
from .requests import Content, Entries, Folder, Source, Synced, Tree
from .values import Entry, Progress, Space, parse_repr

if TYPE_CHECKING:
    from ._flylead import Message

__all__ = ["Board", "Files", "Program"]


class Board:
    """A MicroPython board for asyncio.

    Any task may use it: requests take their turns. Cancelling a task stops its request on the board.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.files = Files(self)
        """The board's files."""

    @staticmethod
    def connect(address: str = "auto", timeout: float = 10) -> _Connecting:
        """Opens the link to a board within ``timeout`` seconds: to be awaited, or for ``async with``.

        Raises ``OpenError``, and ``ValueError`` for what is no address.
        """
        return _Connecting(address, timeout)

    async def __aenter__(self) -> Board:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leaves the board at its normal prompt and closes the link; also one that is gone. It may be called twice."""
        try:
            await self._call(Request.close())
        except FlyleadError:
            pass

    async def exec(
        self,
        source: Source,
        timeout: Optional[float] = None,
        on_output: Optional[OnOutput] = None,
    ) -> bytes:
        """Runs a program to its end and returns what it printed; or hands that to ``on_output`` as it comes.

        Raises ``BoardRaised``, ``BoardTimeout``, ``BoardExited`` and ``BoardRestarted``, whose ``output`` is what had
        been printed.
        """
        printed: list[bytes] = []
        job = self._session.start(requests.program(source, timeout))
        try:
            await _to_the_end(job, on_output or printed.append, None)
        except FlyleadError as error:
            if hasattr(error, "output"):
                error.output = b"".join(printed)
            raise
        return b"".join(printed)

    async def eval(self, expression: str, timeout: Optional[float] = None) -> Any:
        """The value of an expression: a Python value as far as literals go, and a ``Repr`` otherwise."""
        return parse_repr(await self._call(Request.eval(expression, timeout)))

    def run(self, source: Source, timeout: Optional[float] = None) -> Program:
        """Starts a program; the ``Program`` gives its output as it comes, and takes its input."""
        return Program(self._session.start(requests.program(source, timeout)))

    async def soft_reset(self) -> None:
        """Restarts the interpreter: every variable is gone, ``boot.py`` has run, ``main.py`` has not."""
        await self._call(Request.soft_reset())

    async def _call(self, request: Request, on_progress: Optional[OnProgress] = None) -> Any:
        return await _to_the_end(self._session.start(request), None, on_progress)


class _Connecting:
    """A board that is being opened."""

    def __init__(self, address: str, timeout: float) -> None:
        self._session = Session(address)
        self._timeout = timeout
        self._board: Optional[Board] = None

    def __await__(self) -> Generator[Any, None, Board]:
        return self._open().__await__()

    async def _open(self) -> Board:
        await _to_the_end(self._session.start(Request.open(self._timeout)), None, None)
        return Board(self._session)

    async def __aenter__(self) -> Board:
        self._board = await self._open()
        return self._board

    async def __aexit__(self, *error: object) -> None:
        if self._board is not None:
            await self._board.close()


class Program:
    """A program on a board, and an asynchronous iterator over its output.

    Iteration ends with the program, and raises what ``Board.exec`` does. ``close`` stops it, and so does the end of a
    ``with`` block.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._ended = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        while not self._ended:
            try:
                message = await _next(self._job)
            except Exception:
                self._ended = True
                raise
            if message[0] == "output":
                return message[1]
            self._ended = message[0] == "done"
        raise StopAsyncIteration

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def interrupt(self) -> None:
        """Presses Ctrl-C: the program raises ``KeyboardInterrupt``, which the iteration raises as ``BoardRaised``."""
        self._job.interrupt()

    def send(self, data: Content) -> None:
        """Types into the program's stdin. Raises ``BoardBusy`` when 64 such pieces wait already."""
        self._job.send(requests.content(data))

    def close(self) -> None:
        """Stops the program, if it has not ended."""
        self._ended = True
        self._job.close()


class Files:
    """A board's files, as in ``flylead.Files``."""

    def __init__(self, board: Board) -> None:
        self._board = board

    async def list(self, path: str = "") -> Entries:
        """The entries of a directory, by name."""
        return requests.entries(await self._board._call(Request.list(path)))

    async def tree(self, path: str = "", hashes: bool = False) -> Entries:
        """All entries below a directory, names relative to it; with their SHA-256 if ``hashes``."""
        return requests.entries(await self._board._call(Request.tree(path, hashes)))

    async def stat(self, path: str) -> Entry:
        """One file or directory."""
        return Entry(*await self._board._call(Request.stat(path)))

    async def exists(self, path: str) -> bool:
        """Whether there is something of that name."""
        try:
            await self.stat(path)
        except FileError as error:
            if error.kind == "not-found":
                return False
            raise
        return True

    async def read(self, path: str, on_progress: Optional[OnProgress] = None) -> bytes:
        """A file's content, its hash compared with the board's."""
        data: bytes = await self._board._call(Request.read(path), on_progress)
        return data

    async def write(
        self, path: str, data: Content, on_progress: Optional[OnProgress] = None
    ) -> None:
        """Replaces or creates a file. The old one is whole until the new one is, by its hash."""
        await self._board._call(Request.write(path, requests.content(data)), on_progress)

    async def append(self, path: str, data: Content) -> None:
        """Adds to the end of a file."""
        await self._board._call(Request.append(path, requests.content(data)))

    async def write_tree(self, tree: Tree, on_progress: Optional[OnProgress] = None) -> None:
        """Writes many files and makes directories, in few exchanges; ``None`` as content stands for a directory."""
        await self._board._call(requests.write_tree(tree), on_progress)

    async def sync(
        self,
        source: Folder,
        target: str = "",
        delete: bool = False,
        on_progress: Optional[OnProgress] = None,
    ) -> Synced:
        """Makes ``target`` on the board hold what a folder of this computer holds; only what differs is sent."""
        wanted = await asyncio.to_thread(requests.folder, source)
        is_there = not target or await self.exists(target)
        there = await self.tree(target, hashes=True) if is_there else []
        plan = requests.plan(wanted, there, target, delete)
        if plan.write:
            await self.write_tree(plan.write, on_progress)
        for path in plan.remove:
            await self.remove(path, tree=True)
        return plan.synced

    async def remove(self, path: str, tree: bool = False) -> None:
        """Removes a file or an empty directory; with ``tree`` also one with all that is below it."""
        await self._board._call(Request.remove(path, tree))

    async def make_directory(self, path: str, parents: bool = False) -> None:
        """Makes a directory; with ``parents`` also those above it, and it may exist."""
        await self._board._call(Request.make_directory(path, parents))

    async def rename(self, source: str, target: str) -> None:
        """Renames a file or directory."""
        await self._board._call(Request.rename(source, target))

    async def touch(self, path: str) -> None:
        """Makes an empty file if there is none."""
        await self._board._call(Request.touch(path))

    async def space(self, path: str = "/") -> Space:
        """The size of the file system that ``path`` is on, in bytes."""
        return Space(*await self._board._call(Request.space(path)))

    async def sha256(self, path: str) -> bytes:
        """A file's SHA-256, computed by the board."""
        digest: bytes = await self._board._call(Request.sha256(path))
        return digest


async def _to_the_end(
    job: Job, on_output: Optional[OnOutput], on_progress: Optional[OnProgress]
) -> Any:
    try:
        while True:
            message = await _next(job)
            if message[0] == "done":
                return message[1]
            if message[0] == "output" and on_output is not None:
                on_output(message[1])
            elif message[0] == "progress" and on_progress is not None:
                on_progress(Progress(*message[1]))
    finally:
        job.close()


async def _next(job: Job) -> Message:
    """The next message; it comes from another thread."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Message] = loop.create_future()

    def deliver(message: Union[Message, BaseException]) -> None:
        if future.cancelled():
            return
        if isinstance(message, BaseException):
            future.set_exception(message)
        else:
            future.set_result(message)

    job.request_next(lambda message: _call_soon(loop, deliver, message))
    try:
        return await future
    except asyncio.CancelledError:
        job.close()
        raise


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[[Any], None], value: Any) -> None:
    try:
        loop.call_soon_threadsafe(call, value)
    except RuntimeError:
        # The loop was closed: nobody waits.
        pass
