"""Devices that record experiments, for asyncio."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Optional

from .. import requests
from .._flylead import DeviceSession
from ..board import OnProgress
from ..closing import AsyncClosing
from ..device import LIMIT, Artifacts, OnLine
from ..errors import FlyleadError
from ..saved import Saved, saved
from .jobs import Connecting, to_the_end


class Device(AsyncClosing):
    """A device that records experiments, like ``flylead.Device``, for asyncio. Cancelling a task ends its request."""

    def __init__(self, session: DeviceSession) -> None:
        self._session = session

    @classmethod
    def connect(
        cls,
        address: str = "auto",
        timeout: float = 10,
        *,
        settle: float = 0,
        silence: Optional[float] = None,
        limit: int = LIMIT,
        require_checksum: bool = False,
    ) -> Connecting[Device]:
        """Opens the link to a device; to be awaited, or used in ``async with``.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        session = DeviceSession(address, silence, limit, require_checksum)
        return Connecting(cls._open(session, timeout, settle))

    @classmethod
    async def _open(cls, session: DeviceSession, timeout: float, settle: float) -> Device:
        await to_the_end(session.open(timeout, settle))
        return cls(session)

    async def close(self) -> None:
        """Closes the link; a recording continues. ``close`` may be called twice."""
        try:
            await to_the_end(self._session.close())
        except FlyleadError:
            pass

    async def start(self, run: str) -> str:
        """Asks the device to record; returns its answer within a second. Raises ``ExportError`` if it refuses."""
        return str(await to_the_end(self._session.start(run))).strip()

    async def stop(self) -> str:
        """Asks the device to end its recording; returns its answer within a second."""
        return str(await to_the_end(self._session.stop())).strip()

    async def listen(self, seconds: float, on_line: Optional[OnLine] = None) -> None:
        """Waits while the device records, and passes its output to ``on_line``, which misses lines if it is slow.

        Raises ``ExportError`` as soon as the device prints ``ERROR`` or restarts.
        """
        await to_the_end(self._session.listen(seconds), requests.lines(on_line))

    async def fetch(
        self,
        run: str,
        artifacts: Artifacts = "artifacts",
        *,
        accept: Iterable[str] = (),
        retries: int = 1,
        verify_twice: bool = False,
        normalize_eol: bool = False,
        on_progress: Optional[OnProgress] = None,
    ) -> Saved:
        """Fetches the log of a run and saves it, only once it is complete. Raises ``ExportError``."""
        job = self._session.fetch(
            run, os.fspath(artifacts), requests.names(accept), retries, verify_twice, normalize_eol
        )
        answer: Any = await to_the_end(job, None, on_progress)
        return saved(answer)
