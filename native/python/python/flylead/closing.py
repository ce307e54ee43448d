"""The ends of ``with`` blocks."""

from __future__ import annotations

from typing import TypeVar

C = TypeVar("C", bound="Closing")
A = TypeVar("A", bound="AsyncClosing")


class Closing:
    """Base of objects that the end of a ``with`` block closes."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AsyncClosing:
    """Base of objects that the end of an ``async with`` block closes."""

    async def close(self) -> None:
        raise NotImplementedError

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
