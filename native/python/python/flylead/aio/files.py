"""A board's files for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Optional

from .. import requests
from .._flylead import Request
from ..board import OnProgress
from ..errors import FileError
from ..requests import Content, Entries, Folder, Synced, Tree
from ..values import Entry, Space

if TYPE_CHECKING:
    from .board import Board


class Files:
    """A board's files, as in ``flylead.Files``."""

    def __init__(self, board: Board) -> None:
        self._board = board

    async def list(self, path: str = "") -> Entries:
        """Returns the entries of a directory, by name."""
        return requests.entries(await self._board._call(Request.list(path)))

    async def tree(self, path: str = "", hashes: bool = False) -> Entries:
        """Returns all entries below a directory, with names relative to it; with their SHA-256 if ``hashes``."""
        return requests.entries(await self._board._call(Request.tree(path, hashes)))

    async def stat(self, path: str) -> Entry:
        """Returns one file or directory."""
        return Entry(*await self._board._call(Request.stat(path)))

    async def exists(self, path: str) -> bool:
        """Returns true if an entry of that name exists."""
        try:
            await self.stat(path)
        except FileError as error:
            if error.kind == "not-found":
                return False
            raise
        return True

    async def read(self, path: str, on_progress: Optional[OnProgress] = None) -> bytes:
        """Returns a file's content, after comparing its hash with the board's."""
        data: bytes = await self._board._call(Request.read(path), on_progress)
        return data

    async def write(
        self, path: str, data: Content, on_progress: Optional[OnProgress] = None
    ) -> None:
        """Replaces or creates a file. The old one stays until the new one is complete, by its hash."""
        await self._board._call(Request.write(path, requests.content(data)), on_progress)

    async def append(self, path: str, data: Content) -> None:
        """Appends to a file."""
        await self._board._call(Request.append(path, requests.content(data)))

    async def write_tree(self, tree: Tree, on_progress: Optional[OnProgress] = None) -> None:
        """Writes many files and makes directories in few exchanges; ``None`` as content stands for a directory."""
        await self._board._call(requests.write_tree(tree), on_progress)

    async def sync(
        self,
        source: Folder,
        target: str = "",
        delete: bool = False,
        on_progress: Optional[OnProgress] = None,
    ) -> Synced:
        """Makes ``target`` on the board equal to a folder of this computer; only differences are sent."""
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
        """Removes a file or an empty directory; with ``tree``, also a directory with all of its content."""
        await self._board._call(Request.remove(path, tree))

    async def make_directory(self, path: str, parents: bool = False) -> None:
        """Makes a directory; with ``parents``, also its missing parents, and it may exist already."""
        await self._board._call(Request.make_directory(path, parents))

    async def rename(self, source: str, target: str) -> None:
        """Renames a file or directory."""
        await self._board._call(Request.rename(source, target))

    async def touch(self, path: str) -> None:
        """Creates an empty file, unless the file exists."""
        await self._board._call(Request.touch(path))

    async def space(self, path: str = "/") -> Space:
        """Returns the size of the file system that ``path`` is on, in bytes."""
        return Space(*await self._board._call(Request.space(path)))

    async def sha256(self, path: str) -> bytes:
        """Returns a file's SHA-256, computed by the board."""
        digest: bytes = await self._board._call(Request.sha256(path))
        return digest
