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

    Any thread may use it: requests take turns. Ctrl-C ends the wait and raises ``KeyboardInterrupt``; the part of a log
    received by then is removed.

    Methods raise ``LinkLost`` if the device is gone, and ``BoardClosed`` after ``close``.
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
        """Opens the link to a device, within ``timeout`` seconds. It stays open, so that no device restarts between
        requests.

        ``settle``: time to listen before anything is sent, in seconds, for boards that restart when their port is
        opened. ``silence``: time for which the device may be silent, in seconds; 120 before a log and 10 within it by
        default. ``limit``: the longest log to accept, in bytes. ``require_checksum`` refuses a log without the device's
        checksum.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        session = DeviceSession(address, silence, limit, require_checksum)
        session.open(timeout, settle).wait()
        return cls(session)

    def close(self) -> None:
        """Closes the link; a recording continues. ``close`` may be called twice."""
        try:
            self._session.close().wait()
        except FlyleadError:
            pass

    def start(self, run: str) -> str:
        """Asks the device to record under the name ``run``; returns its answer within a second.

        Raises ``ExportError`` if the device refuses, and ``ValueError`` for an invalid name of a run; a name has 1 to
        64 ASCII letters, digits, ``_``, ``-`` and ``.``.
        """
        return str(_value(self._session.start(run))).strip()

    def stop(self) -> str:
        """Asks the device to end its recording; returns its answer within a second. Raises ``ExportError`` if it
        refuses."""
        return str(_value(self._session.stop())).strip()

    def listen(self, seconds: float, on_line: Optional[OnLine] = None) -> None:
        """Waits while the device records, and passes its output to ``on_line``, which misses lines if it is slow.

        Raises ``ExportError`` as soon as the device prints ``ERROR`` or restarts, because it no longer records then.
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
        """Fetches the log of a run and saves it below the folder ``artifacts``, only once it is complete. A different
        earlier log stays beside it.

        ``accept``: doubts despite which to accept the log: ``error``, ``late``, ``header``, ``restart``, ``last-line``,
        ``stray-line``, ``tail``, ``checksum``, as ``ExportError.doubts`` names them. ``retries``: number of further
        requests after a transmission fault. ``verify_twice`` requests a log without a checksum twice, and compares.
        ``normalize_eol`` saves a log that came between ``BEGIN`` and ``END`` with ``\\n`` at the ends of its lines.

        Raises ``ExportError``, and ``ValueError`` for an invalid name of a run or of a doubt.
        """
        job = self._session.fetch(
            run, os.fspath(artifacts), requests.names(accept), retries, verify_twice, normalize_eol
        )
        return saved(_value(job, on_progress))


def _value(job: Job, on_progress: Optional[OnProgress] = None) -> Any:
    return job.wait(None, requests.reporter(on_progress))[1]
