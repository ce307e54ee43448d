"""Functions and objects of a board: what the decorators of ``Board`` send, and ``Proxy``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Callable

from .calls import arguments, call, literal
from .values import Repr

if TYPE_CHECKING:
    from .board import Board


def in_globals(function: Callable[..., Any], values: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Returns a program that runs a function, and whose names stay on the board: it assigns to global names."""
    sent = call(function, values, named)
    node = ast.parse(sent.source).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    code = function.__code__
    taken = code.co_argcount + code.co_kwonlyargcount
    names = [name for name in code.co_varnames[taken:] if name not in _parameters(node)]
    lines = sent.source.splitlines(keepends=True)
    if names:
        first = node.body[0]
        at = first.lineno - 1
        # Columns count bytes.
        line = lines[at].encode()
        before, after = line[: first.col_offset].decode(), line[first.col_offset :].decode()
        separator = "\n" + before if not before.strip() else "; "
        lines[at] = f"{before}global {', '.join(names)}{separator}{after}"
    return "".join(lines).rstrip() + f"\n{sent.expression}\n"


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    every = node.args
    starred = [arg for arg in (every.vararg, every.kwarg) if arg is not None]
    return {arg.arg for arg in (*every.posonlyargs, *every.args, *every.kwonlyargs, *starred)}


def in_thread(function: Callable[..., Any], values: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Returns a program that starts a function in a thread of the board."""
    sent = call(function, values, named)
    start = f"__import__('_thread').start_new_thread({function.__name__}, {literal(values)}, {literal(named)})"
    return f"{sent.source.rstrip()}\n{start}\n"


class Proxy:
    """An object on the board, by the expression that names it there.

    Attributes and items whose values consist of literals are Python values; others are proxies. Assignments set them on
    the board.

    >>> board.exec("class Led:\\n    level = 1\\n    def set(self, level): self.level = level\\nled = Led()")
    b''
    >>> led = board.proxy("led")
    >>> led.set(5)
    >>> led.level
    5
    """

    def __init__(self, board: Board, expression: str) -> None:
        object.__setattr__(self, "_board", board)
        object.__setattr__(self, "_expression", expression)

    def __repr__(self) -> str:
        return f"<Proxy {self._expression}>"

    def _value(self, expression: str) -> Any:
        value = self._board.eval(expression)
        return Proxy(self._board, expression) if isinstance(value, Repr) else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            # Python itself looks for these, for example to copy an object.
            raise AttributeError(name)
        return self._value(f"{self._expression}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._board.exec(f"{self._expression}.{name} = {literal(value)}")

    def __getitem__(self, key: Any) -> Any:
        return self._value(f"{self._expression}[{literal(key)}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        self._board.exec(f"{self._expression}[{literal(key)}] = {literal(value)}")

    def __len__(self) -> int:
        length: int = self._board.eval(f"len({self._expression})")
        return length

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Calls the object; a result without literals is a ``Repr``."""
        return self._board.eval(f"{self._expression}({arguments(values, named)})")
