"""Devices that record experiments, for programs that wait."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Callable, Optional, Union

from . import requests
from ._flylead import DeviceSession, Job
from .board import OnProgress
from .closing import Closing
from .errors import FlyleadError
from .saved import Saved, saved

OnLine = Callable[[str], object]
Artifacts = Union[str, "os.PathLike[str]"]

LIMIT = 256 * 1024 * 1024


class Device(Closing):
    """A device that records experiments to its card, and exports them.

    >>> with Device.connect(recorder) as device:
    ...     device.start("run001"), device.stop()
    ...     log = device.fetch("run001", artifacts=folder)
    ...     log.manifest.proven, log.read()
    ('OK: Recording', 'OK: Stopped')
    (True, b'time,value\\n0,1\\n1,4\\n')

    Any thread may use it: requests take their turns. Ctrl-C ends the waiting and raises ``KeyboardInterrupt``; what came
    of a log by then is removed.

    Methods raise ``LinkLost`` when the device is gone and ``BoardClosed`` after ``close``.
    """

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
    ) -> Device:
        """Opens the link to a device, within ``timeout`` seconds. It stays open: no device restarts between requests.

        ``settle``: how long to listen before anything is sent, in seconds, for boards that restart when their port is
        opened. ``silence``: how long the device may be silent, in seconds; 120 before a log and 10 within it if not given.
        ``limit``: the longest log to take, in bytes. ``require_checksum`` refuses a log that comes without the device's.

        Raises ``OpenError``, and ``ValueError`` for what is no address.
        """
        session = DeviceSession(address, silence, limit, require_checksum)
        session.open(timeout, settle).wait()
        return cls(session)

    def close(self) -> None:
        """Closes the link; a recording goes on. It may be called twice."""
        try:
            self._session.close().wait()
        except FlyleadError:
            pass

    def start(self, run: str) -> str:
        """Asks the device to record under the name ``run``; what it answers within a second.

        Raises ``ExportError`` when it refuses, ``ValueError`` for what is no name of a run: 1 to 64 ASCII letters,
        digits, ``_``, ``-`` and ``.``.
        """
        return str(_value(self._session.start(run))).strip()

    def stop(self) -> str:
        """Asks the device to end its recording; what it answers within a second. Raises ``ExportError`` when it refuses."""
        return str(_value(self._session.stop())).strip()

    def listen(self, seconds: float, on_line: Optional[OnLine] = None) -> None:
        """Waits while the device records, and hands what it says to ``on_line``, which misses lines when it is slow.

        Raises ``ExportError`` as soon as the device says ``ERROR`` or restarts, for it no longer records then.
        """
        self._session.listen(seconds).wait(requests.lines(on_line))

    def fetch(
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
        """Fetches the log of a run and saves it below the folder ``artifacts``, only when it is whole. An earlier log
        that is another one stays beside it.

        ``accept``: take the log although this speaks against it: ``error``, ``late``, ``header``, ``restart``,
        ``last-line``, ``stray-line``, ``tail``, ``checksum``, as ``ExportError.doubts`` names them. ``retries``: how often to ask again
        after a fault on the way. ``verify_twice`` asks twice for a log that comes without a checksum, and compares.
        ``normalize_eol`` saves a log that came between ``BEGIN`` and ``END`` with ``\\n`` at the ends of its lines.

        Raises ``ExportError``; ``ValueError`` for what is no name of a run and nothing to accept.
        """
        job = self._session.fetch(
            run, os.fspath(artifacts), requests.names(accept), retries, verify_twice, normalize_eol
        )
        return saved(_value(job, on_progress))


def _value(job: Job, on_progress: Optional[OnProgress] = None) -> Any:
    return job.wait(None, requests.reporter(on_progress))[1]
