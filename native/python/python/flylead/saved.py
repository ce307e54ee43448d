"""Logs on disk, and their metadata."""

from __future__ import annotations

import importlib
import io
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ._flylead import plain_csv


class Manifest(NamedTuple):
    """Metadata of a log; it is also in ``manifest.json`` beside it."""

    run_id: str
    bytes: int
    """The log's length."""
    sha256: str
    crc32: str
    """Both in hexadecimal digits."""
    integrity: str
    """Evidence that the log is complete: ``sha256`` or ``crc32`` of the device, ``twice``, ``length+tail``,
    ``lines+markers``, ``markers`` or ``accepted``."""
    proven: bool
    """True if the evidence is proof, which only a checksum of the device is."""
    accepted: list[str]
    """Doubts that were accepted."""
    warnings: list[str]
    """Oddities of the log."""
    requested_at: int
    received_at: int
    """Both in seconds since 1970."""
    checksum_wait_ms: Optional[int] = None
    """Milliseconds waited for a checksum, if none arrived that proves the log."""
    received: Optional[dict[str, Any]] = None
    """Length and checksums of the bytes as the device sent them, if line ends were converted; ``proven`` refers to
    these."""
    port: Optional[str] = None
    serial_number: Optional[str] = None
    usb: Optional[str] = None
    """The port, and the USB device there."""
    firmware: Optional[str] = None
    """The device's own statement about itself. Untrusted."""
    flylead: str = ""
    """Version that saved the log."""


class Saved(NamedTuple):
    """A complete log that was saved to disk."""

    path: Path
    """Path of the log: ``artifacts/RUN/sd/log.csv``."""
    previous: Optional[Path]
    """Path of the previous log, if there was a different one."""
    manifest: Manifest

    def read(self) -> bytes:
        """Returns the log as the device sent it."""
        return self.path.read_bytes()

    def plain(self) -> bytes:
        """Returns the log as a CSV that every library reads: one row of headings, commas, decimal points, no
        remarks."""
        return plain_csv(self.read())

    def to_pandas(self, **options: Any) -> Any:
        """Returns the log as a ``pandas.DataFrame``; ``options`` are those of ``pandas.read_csv``.

        Raises ``ImportError`` when pandas is not installed.
        """
        return _library("pandas").read_csv(io.BytesIO(self.plain()), **options)

    def to_arrow(self, **options: Any) -> Any:
        """Returns the log as a ``pyarrow.Table``; ``options`` are those of ``pyarrow.csv.read_csv``.

        Raises ``ImportError`` when pyarrow is not installed.
        """
        return _library("pyarrow.csv").read_csv(io.BytesIO(self.plain()), **options)


def saved(answer: tuple[str, Optional[str], dict[str, Any]]) -> Saved:
    path, previous, manifest = answer
    return Saved(Path(path), Path(previous) if previous is not None else None, Manifest(**manifest))


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        package = name.split(".")[0]
        raise ImportError(f"this needs {package}; install it with: pip install {package}") from missing
