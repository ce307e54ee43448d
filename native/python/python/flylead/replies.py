"""Answers of Zylisp servers, as values."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from .errors import ZylispError, ZylispInterrupted, ZylispRefused
from .values import Repr


class Reply(NamedTuple):
    """Result of a Zylisp program."""

    value: Any
    """Numbers, texts, truth values, and lists of them; ``None`` for nil. Symbols within lists are texts; what cannot
    leave the server, such as a function, is a ``Repr``."""
    text: str
    """The value as the language prints it."""
    output: str
    """Output of the program, unless it was passed on as it arrived."""
    more: bool
    """True if the text continues: ``Zylisp.more`` returns its next page."""


class Candidate(NamedTuple):
    """A name that fits."""

    name: str
    kind: str
    """``function``, ``macro``, ``special-form`` or ``variable``."""


Answer = tuple[str, Any, str, dict[str, Any]]


def data(answer: Answer) -> dict[str, Any]:
    """Returns the data about a server or a name. Raises an exception for any other outcome of
    the request."""
    outcome, value, output, rest = answer
    if outcome == "error":
        text, kind, message, trace = value
        raise ZylispError(text, kind, message, trace, output)
    if outcome == "interrupted":
        raise ZylispInterrupted("the program was interrupted", output)
    if outcome == "refused":
        raise ZylispRefused(value)
    return rest


def reply(answer: Answer) -> Reply:
    """A program's value. Raises what else may have come of it."""
    more = data(answer).get("more") is True
    value, is_plain, text = answer[1]
    if not is_plain and isinstance(value, str):
        value = Repr(text)
    return Reply(value, text, answer[2], more)


def shown(answer: Answer, show: Callable[[str], object], printed: list[str]) -> Reply:
    """Like ``reply``, after the last of the output is shown, since all of it may have been
    kept."""
    outcome, value, output, rest = answer
    if output:
        show(output)
    return reply((outcome, value, "".join(printed), rest))


def candidates(answer: Answer) -> list[Candidate]:
    found = data(answer).get("completions") or []
    return [Candidate(entry["candidate"], entry.get("type", "")) for entry in found]
