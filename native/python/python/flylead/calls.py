"""Functions of this program that run on a board."""

from __future__ import annotations

import math
import textwrap
from typing import Any, Callable, NamedTuple


class Call(NamedTuple):
    """A function's source, and the expression that calls it."""

    source: str
    expression: str


def call(function: Callable[..., Any], values: tuple[Any, ...], named: dict[str, Any]) -> Call:
    """Returns the call of a function with values that can be sent to a board.

    Raises ``TypeError`` for other values, and ``ValueError`` for a function that cannot run on a board.
    """
    # Imported here, as its own imports take longer than those of this whole package.
    import inspect

    code = getattr(function, "__code__", None)
    if code is None or function.__name__ == "<lambda>":
        raise ValueError(f"{function!r} has no def that could be sent; write a function")
    if code.co_freevars:
        names = ", ".join(code.co_freevars)
        raise ValueError(f"{function.__name__} uses {names} of the function around it; hand that over as a value")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ValueError(f"{function.__name__} has a yield, so calling it runs nothing; return a list")
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except OSError as error:
        raise ValueError(f"the source of {function.__name__} is not to be had: {error}") from error
    # Decorators belong to this computer.
    lines = source.splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if line.startswith(("def ", "async def ")))
    expression = f"{function.__name__}({arguments(values, named)})"
    if inspect.iscoroutinefunction(function):
        expression = f"__import__('asyncio').run({expression})"
    return Call("".join(lines[start:]), expression)


def arguments(values: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Returns values as the arguments of a call."""
    words = [literal(value) for value in values]
    words += [f"{name}={literal(value)}" for name, value in named.items()]
    return ", ".join(words)


def literal(value: Any) -> str:
    """Returns a value as a Python literal, which a board reads as the same value. Raises ``TypeError`` if there is
    none."""
    kind = type(value)
    if kind is float and not math.isfinite(value):
        return f"float('{value}')"
    if value is None or kind in (bool, int, float, str, bytes):
        return repr(value)
    if kind is bytearray:
        return f"bytearray({bytes(value)!r})"
    if kind is list:
        return "[" + ", ".join(map(literal, value)) + "]"
    if kind is tuple:
        return "(" + "".join(literal(item) + "," for item in value) + ")"
    if kind is set:
        return "{" + ", ".join(map(literal, value)) + "}" if value else "set()"
    if kind is dict:
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"{value!r} cannot be sent to a board: it is no number, text, bytes, None, or list, tuple, set or dict of them")
