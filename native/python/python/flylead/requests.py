"""Requests of both kinds of boards, and the parsing of their answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple, Optional, Union

from ._flylead import Request, folder_entries
from .errors import FileError
from .values import Entry, Progress

Source = Union[str, bytes]
Content = Union[str, bytes]
Tree = Mapping[str, Optional[Content]]
Entries = list[Entry]
Folder = Union[str, "os.PathLike[str]"]


class Synced(NamedTuple):
    """Changes made by ``Files.sync``; paths are the board's."""

    written: list[str]
    removed: list[str]
    unchanged: int


class Plan(NamedTuple):
    write: dict[str, Optional[Content]]
    remove: list[str]
    synced: Synced


def program(source: Source, timeout: Optional[float]) -> Request:
    return Request.exec(content(source), timeout)


def content(data: Content) -> bytes:
    """Converts text (as UTF-8) and bytes-like objects; raises ``TypeError`` for everything else.

    ``bytes(5)`` would be five NULs, and ``bytes([1, 2])`` two bytes that nobody wrote.
    """
    if isinstance(data, str):
        return data.encode()
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"expected str or a bytes-like object, not {type(data).__name__}") from None


def who() -> str:
    """Returns the name shown to others who wait for the board, such as ``python demo.py (4711)``."""
    program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c", "-m") else ""
    name = os.path.basename(os.environ.get("JPY_SESSION_NAME", "")) or program
    return f"python {name} ({os.getpid()})".replace("  ", " ")


def reporter(
    on_progress: Optional[Callable[[Progress], object]],
) -> Optional[Callable[[int, Optional[int], int], object]]:
    if on_progress is None:
        return None
    report = on_progress
    return lambda done, total, entries: report(Progress(done, total, entries))


def lines(on_line: Optional[Callable[[str], object]]) -> Optional[Callable[[bytes], object]]:
    if on_line is None:
        return None
    said = on_line
    return lambda line: said(line.decode(errors="replace"))


def names(words: Iterable[str]) -> list[str]:
    """Accepts one word or several."""
    return [words] if isinstance(words, str) else list(words)


def entries(answer: list[tuple[Any, ...]]) -> Entries:
    return [Entry(*entry) for entry in answer]


def exists(stat: Callable[[], Entry]) -> bool:
    try:
        stat()
    except FileError as error:
        if error.kind == "not-found":
            return False
        raise
    return True


def write_tree(tree: Tree) -> Request:
    """Returns a request for the entries, each after the directories that it is in."""
    entries: dict[str, Optional[bytes]] = {}
    for path, data in tree.items():
        for directory in _above(path):
            entries.setdefault(directory, None)
        entries[path] = None if data is None else content(data)
    return Request.write_tree(list(entries.items()))


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    above = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return [directory for directory in above if directory]


def folder(source: Folder) -> dict[str, Optional[bytes]]:
    """Returns all files and directories below a folder of this computer, by their relative paths."""
    found: dict[str, Optional[bytes]] = {}
    root = os.fspath(source)
    if not os.path.isdir(root):
        raise NotADirectoryError(f"{root} is no folder of this computer")
    for name, is_directory in folder_entries(root):
        found[name] = None if is_directory else _read(os.path.join(root, name))
    return found


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def plan(
    wanted: dict[str, Optional[bytes]], there: list[Entry], target: str, delete: bool
) -> Plan:
    """Plans the writes and removals after which ``target`` holds the given content."""
    present = {entry.name: entry for entry in there}
    changed = {path: data for path, data in wanted.items() if not _is_same(present.get(path), data)}
    base = target.rstrip("/") + "/" if target else ""
    extra = [name for name in present if name not in wanted] if delete else []
    top = [name for name in extra if not any(above in extra for above in _above(name))]
    write: dict[str, Optional[Content]] = {base + path: data for path, data in changed.items()}
    remove = [base + name for name in top]
    return Plan(write, remove, Synced(list(write), remove, len(wanted) - len(changed)))


def _is_same(entry: Optional[Entry], data: Optional[bytes]) -> bool:
    import hashlib

    if entry is None or data is None:
        return entry is not None and entry.is_directory
    return entry.sha256 == hashlib.sha256(data).digest()
