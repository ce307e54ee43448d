"""Answers of boards, as values."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional

from . import _flylead


class Repr(str):
    """A value that only its board can hold, as the board's ``repr`` writes it: ``<module 'machine'>``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Entry(NamedTuple):
    """A file or directory on a board."""

    name: str
    """Name, or its path below the directory that was requested."""
    is_directory: bool
    size: int
    """Size in bytes; 0 for a directory."""
    modified: Optional[int]
    """Seconds since 1970 by the board's clock; ``None`` if the board does not report them."""
    sha256: Optional[bytes]
    """Hash, if requested."""


class Space(NamedTuple):
    """The size of a file system, in bytes."""

    total: int
    free: int


class Progress(NamedTuple):
    """Progress of a transfer."""

    done: int
    """Number of bytes of content done so far."""
    total: Optional[int]
    """Total number of bytes, if known."""
    entries: int
    """Number of files and directories already in place, of many."""


class Port(NamedTuple):
    """A serial port of this computer."""

    path: str
    """Path or name, such as ``/dev/ttyACM0`` or ``COM7``: an address for ``Board.connect``."""
    vendor: Optional[int]
    """Number of the USB vendor; ``None`` for a port that is not on USB."""
    product: Optional[int]
    serial_number: Optional[str]
    """Serial number that ``id:…`` addresses use; it stays with the board on any port."""
    manufacturer: Optional[str]
    name: Optional[str]


def ports() -> list[Port]:
    """Returns the serial ports of this computer; those with a ``vendor`` may be boards.

    Raises ``OSError`` if the system does not report them.
    """
    return [Port(*port) for port in _flylead.ports()]


def parse_repr(text: str) -> Any:
    """Returns the value that a board's ``repr`` stands for, if it consists of literals; a ``Repr`` otherwise.

    >>> parse_repr("(1, [b'x', {'a': None}])")
    (1, [b'x', {'a': None}])
    >>> parse_repr("[bytearray(b'ab'), inf]")
    [bytearray(b'ab'), inf]
    >>> parse_repr("[1, -inf, (-1.5-2j)]")
    [1, -inf, (-1.5-2j)]
    >>> parse_repr("<module 'machine'>")
    <module 'machine'>
    """
    import ast

    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Repr(text)


def _value(node: Any) -> Any:
    import ast

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        items = [_value(item) for item in node.elts]
        return _COLLECTIONS[type(node).__name__](items)
    if isinstance(node, ast.Dict):
        if any(key is None for key in node.keys):
            raise ValueError("no literal")
        return {_value(key): _value(item) for key, item in zip(node.keys, node.values)}
    if isinstance(node, ast.Name):
        return _NAMES[node.id]() if node.id in _NAMES else _no_literal()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        make = _CALLS.get(node.func.id)
        return make(*[_value(argument) for argument in node.args]) if make else _no_literal()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand)
        # Not -True, and not -"text".
        return -number if type(number) in (int, float, complex) else _no_literal()
    return ast.literal_eval(node)


def _no_literal() -> Any:
    raise ValueError("no literal")


_COLLECTIONS: dict[str, Callable[[list[Any]], Any]] = {"List": list, "Tuple": tuple, "Set": set}
_NAMES: dict[str, Callable[[], float]] = {"inf": lambda: float("inf"), "nan": lambda: float("nan")}
_CALLS: dict[str, Callable[..., Any]] = {"bytearray": bytearray, "set": set, "frozenset": frozenset}
