"""Boards for asyncio: ``Board``, its ``repl`` and its running ``Program``."""

from __future__ import annotations

from asyncio import current_task
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Callable, Optional

from .. import calls, requests
from .._flylead import Request, Session
from ..board import OnOutput, OnProgress
from ..closing import AsyncClosing
from ..errors import FlyleadError
from ..prompt import Until
from ..requests import Content, Source
from ..running import Running, Started
from ..values import parse_repr
from .files import Files
from .jobs import Connecting, next_message, to_the_end


class Board(AsyncClosing):
    """A MicroPython board for asyncio.

    Any task may use it: requests take turns. Cancelling a task stops its request on the board.

    Methods raise ``LinkLost`` if the board is gone, ``BoardClosed`` after ``close``, and ``BoardBusy`` at once if they
    would wait for a program of ``run`` whose output this task has not read to its end.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.files = Files(self)
        """The board's files."""
        self.repl = Repl(self)
        """The board's own prompt, as bytes."""
        self._started: Started[Program] = Started(current_task)

    @classmethod
    def connect(
        cls, address: str = "auto", timeout: float = 10, recover: Optional[str] = None
    ) -> Connecting[Board]:
        """Opens the link to a board within ``timeout`` seconds; to be awaited, or used in ``async with``. ``recover`` is
        that of ``flylead.Board.connect``.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        return Connecting(cls._open(Session(address), timeout, recover))

    @classmethod
    async def _open(cls, session: Session, timeout: float, recover: Optional[str]) -> Board:
        await to_the_end(session.start(Request.open(timeout, requests.who(), recover)))
        return cls(session)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Keeps the turn at a shared board within the block, as ``flylead.Board.turn`` does."""
        await to_the_end(self._session.start(Request.keep(True)))
        try:
            yield
        finally:
            try:
                # It is not waited for: a program whose output is unread may come first.
                self._session.start(Request.keep(False))
            except FlyleadError:
                # A board that was closed keeps no turn.
                pass

    async def close(self) -> None:
        """Leaves the board at its normal prompt and closes the link, even if the board is gone. ``close`` may be called
        twice. Other tasks that wait for the board get ``BoardClosed``."""
        self._started.forget()
        try:
            await to_the_end(self._session.start(Request.close()))
        except FlyleadError:
            pass

    async def exec(
        self,
        source: Source,
        timeout: Optional[float] = None,
        on_output: Optional[OnOutput] = None,
    ) -> bytes:
        """Runs a program to its end and returns its output, or passes the output to ``on_output`` as it arrives.

        Raises ``BoardRaised``, ``BoardTimeout``, ``BoardExited`` and ``BoardRestarted``, whose ``output`` is the output
        until then.
        """
        printed: list[bytes] = []
        self._started.refuse_to_wait()
        job = self._session.start(requests.program(source, timeout))
        try:
            await to_the_end(job, on_output or printed.append)
        except FlyleadError as error:
            if hasattr(error, "output"):
                error.output = b"".join(printed)
            raise
        return b"".join(printed)

    async def eval(self, expression: str, timeout: Optional[float] = None) -> Any:
        """Returns the value of an expression: a Python value if it consists of literals, and a ``Repr`` otherwise."""
        return parse_repr(await self._call(Request.eval(expression, timeout)))

    async def call(
        self, function: Callable[..., Any], *values: Any, timeout: Optional[float] = None, **named: Any
    ) -> Any:
        """Runs a function of this program on the board and returns its value, like ``flylead.Board.call``."""
        sent = calls.call(function, values, named)
        await self.exec(sent.source, timeout)
        return await self.eval(sent.expression, timeout)

    def run(self, source: Source, timeout: Optional[float] = None) -> Program:
        """Starts a program; the ``Program`` yields its output as it arrives, and accepts its input.

        The program occupies the board until its output is read to the end, or until ``close``. The task that reads the
        output, which is the one that started the program until another one reads, gets ``BoardBusy`` from any other
        request to the board before that.
        """
        job = self._session.start(requests.program(source, timeout))
        return self._started.add(Program(job, self._started))

    async def soft_reset(self) -> None:
        """Restarts the interpreter: every variable is gone, ``boot.py`` has run, ``main.py`` has not."""
        await self._call(Request.soft_reset())

    async def _call(self, request: Request, on_progress: Optional[OnProgress] = None) -> Any:
        self._started.refuse_to_wait()
        return await to_the_end(self._session.start(request), None, on_progress)


class Program(Running):
    """A program on a board, and an asynchronous iterator over its output.

    Iteration ends with the program, and raises the exceptions of ``Board.exec``. ``close`` stops the program, and so
    does the end of a ``with`` block.
    """

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if not self._ended:
            self._begin_to_read()
        while not self._ended:
            try:
                piece = self._output(await next_message(self._job))
            except RuntimeError:
                # Another task reads, and continues.
                raise
            except BaseException:
                # A cancelled task has stopped the program.
                self._ended = True
                raise
            if piece is not None:
                return piece
        raise StopAsyncIteration


class Repl:
    """The board's own prompt, as bytes, as in ``flylead.Board.repl``."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._unread = b""

    async def write(self, data: Content, timeout: float = 10) -> None:
        """Types at the prompt. Raises ``BoardTimeout`` if the board does not accept all of it in that time."""
        await self._board._call(Request.type_at_prompt(requests.content(data), timeout))

    async def read(self, timeout: float = 1) -> bytes:
        """Returns the board's next output within ``timeout`` seconds; empty if it is silent."""
        unread, self._unread = self._unread, b""
        return unread or await self._hear(timeout)

    async def read_until(self, end: bytes, timeout: float = 10) -> bytes:
        """Returns the board's output up to ``end``. Raises ``BoardTimeout``, with the output so far as its
        ``output``."""
        until, self._unread = Until(end, timeout, self._unread), b""
        while not until.is_there():
            until.add(await self._hear(until.left()))
        came, self._unread = until.split()
        return came

    async def _hear(self, timeout: float) -> bytes:
        said: bytes = await self._board._call(Request.hear(timeout))
        return said
