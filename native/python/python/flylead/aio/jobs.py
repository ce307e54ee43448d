"""Waiting for requests in asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar, Union

from .._flylead import Job
from ..board import OnOutput, OnProgress
from ..closing import AsyncClosing
from ..values import Progress

if TYPE_CHECKING:
    from .._flylead import Message


C = TypeVar("C", bound=AsyncClosing)


class Connecting(Generic[C]):
    """Connection being opened: awaited, or used in ``async with``, whose end closes it."""

    def __init__(self, opening: Awaitable[C]) -> None:
        self._opening = opening
        self._opened: Optional[C] = None

    def __await__(self) -> Generator[Any, None, C]:
        return self._opening.__await__()

    async def __aenter__(self) -> C:
        self._opened = await self
        return self._opened

    async def __aexit__(self, *error: object) -> None:
        if self._opened is not None:
            await self._opened.close()


async def to_the_end(
    job: Job,
    on_output: Optional[OnOutput] = None,
    on_progress: Optional[OnProgress] = None,
    on_input: Optional[Callable[[], object]] = None,
) -> Any:
    """Passes messages on until the job has ended, and returns its value. Cancelling this stops the job."""
    try:
        while True:
            message = await next_message(job)
            if message[0] == "done":
                return message[1]
            if message[0] == "output" and on_output is not None:
                on_output(message[1])
            elif message[0] == "progress" and on_progress is not None:
                on_progress(Progress(*message[1]))
            elif message[0] == "input" and on_input is not None:
                on_input()
    finally:
        job.close()


async def next_message(job: Job) -> Message:
    """Returns the next message, which comes from another thread."""
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
        # The loop was closed: nobody is waiting.
        pass
