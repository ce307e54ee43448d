"""Zylisp REPLs, for asyncio."""

from __future__ import annotations

from typing import Any, Optional

from .. import replies
from .._flylead import Job, ZylispSession
from ..closing import AsyncClosing
from ..replies import Candidate, Reply
from ..zylisp import OnInput, OnText
from .jobs import Connecting, to_the_end


class Zylisp(AsyncClosing):
    """A session of a Zylisp REPL, like ``flylead.Zylisp``, for asyncio. Cancelling a task interrupts its program."""

    def __init__(self, session: ZylispSession) -> None:
        self._session = session

    @classmethod
    def connect(
        cls,
        address: str = "in-process",
        timeout: float = 10,
        *,
        token: Optional[str] = None,
        codec: str = "json",
    ) -> Connecting[Zylisp]:
        """Connects to a server, or begins a session within this process; to be awaited, or used in ``async with``.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        return Connecting(cls._open(ZylispSession(address, token, codec), timeout))

    @classmethod
    async def _open(cls, session: ZylispSession, timeout: float) -> Zylisp:
        await to_the_end(session.open(timeout))
        return cls(session)

    async def close(self) -> None:
        """Ends the session and its evaluation. ``close`` may be called twice."""
        self._session.close()

    async def eval(
        self,
        code: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
    ) -> Any:
        """Returns the value of a program, as ``Reply.value``. Raises ``ZylispError`` and ``ZylispInterrupted``."""
        return (await self.evaluate(code, on_output, on_input)).value

    async def evaluate(
        self,
        code: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
        *,
        file: Optional[str] = None,
        page: Optional[int] = None,
    ) -> Reply:
        """Evaluates a program; returns its value, the value's text, and its output."""
        return await self._to_the_end(self._session.eval(code, file, page), on_output, on_input)

    async def load_file(
        self,
        path: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
    ) -> Reply:
        """Evaluates a file on the server's side."""
        return await self._to_the_end(self._session.load_file(path), on_output, on_input)

    async def more(self, page: int = 64 * 1024) -> Reply:
        """Returns the next page of the last value's text, of at most ``page`` bytes."""
        return replies.reply(await to_the_end(self._session.more(page)))

    async def complete(self, prefix: str) -> list[Candidate]:
        """Returns the names that begin with ``prefix``."""
        return replies.candidates(await to_the_end(self._session.complete(prefix)))

    async def look_up(self, name: str) -> dict[str, Any]:
        """Returns the facts about a name: ``usage``, ``doc``, ``file`` and ``line``, as far as
        they are known; empty for an unknown one."""
        return replies.data(await to_the_end(self._session.look_up(name)))

    async def describe(self) -> dict[str, Any]:
        """Returns the description of the server."""
        return replies.data(await to_the_end(self._session.describe()))

    async def interrupt(self) -> None:
        """Interrupts the evaluation of this session, whose caller gets ``ZylispInterrupted``."""
        await to_the_end(self._session.interrupt())

    async def _to_the_end(
        self, job: Job, on_output: Optional[OnText], on_input: Optional[OnInput]
    ) -> Reply:
        printed: list[str] = []
        show = on_output or printed.append
        # Jobs that send input, which are kept because dropping one would cancel it.
        given: list[Job] = []

        def give() -> None:
            given.append(self._session.input(on_input() if on_input else ""))

        answer = await to_the_end(job, lambda output: show(output.decode()), None, give)
        return replies.shown(answer, show, printed)
