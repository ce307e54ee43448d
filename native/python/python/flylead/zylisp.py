"""Zylisp REPLs, for programs that wait."""

from __future__ import annotations

from typing import Any, Callable, Optional

from . import replies
from ._flylead import Job, ZylispSession
from .closing import Closing
from .replies import Answer, Candidate, Reply

OnText = Callable[[str], object]
OnInput = Callable[[], str]


class Zylisp(Closing):
    """A session of a Zylisp REPL, with an environment of its own.

    >>> with Zylisp.connect() as repl:
    ...     repl.eval("(define square (lambda (n) (* n n)))")
    ...     repl.eval("(list (square 2) (square 3))")
    <function>
    [4, 9]

    Any thread may use it, and requests do not wait for each other: ``interrupt`` ends an evaluation that another thread
    waits for. Ctrl-C interrupts the program and raises ``KeyboardInterrupt``.

    Methods raise ``LinkLost`` if the server is gone, ``ZylispRefused`` for requests that it does not support, and
    ``BoardClosed`` after ``close``.
    """

    def __init__(self, session: ZylispSession) -> None:
        self._session = session

    @classmethod
    def connect(
        cls,
        address: str = "in-process",
        timeout: float = 10,
        *,
        token: Optional[str] = None,
        codec: str = "json",
    ) -> Zylisp:
        """Connects to a server, within ``timeout`` seconds: ``host:port``, a Unix socket's path, ``ws://…``,
        ``wss://…``; or begins a session within this process.

        ``codec`` is the encoding of messages, ``json`` or ``msgpack``, which must match the server's.

        Raises ``OpenError``, and ``ValueError`` for an invalid address.
        """
        session = ZylispSession(address, token, codec)
        session.open(timeout).wait()
        return cls(session)

    def close(self) -> None:
        """Ends the session and its evaluation. ``close`` may be called twice."""
        self._session.close()

    def eval(
        self,
        code: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
    ) -> Any:
        """Returns the value of a program, as ``Reply.value``. Its output goes to ``on_output`` as it arrives.

        Raises ``ZylispError`` and ``ZylispInterrupted``.

        >>> repl.eval("(list 1 true (quote a))")
        [1, True, 'a']
        """
        return self.evaluate(code, on_output, on_input).value

    def evaluate(
        self,
        code: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
        *,
        file: Optional[str] = None,
        page: Optional[int] = None,
    ) -> Reply:
        """Evaluates a program; returns its value, the value's text, and its output.

        When the program reads, ``on_input`` is called for a line with its end; without ``on_input``, and after an empty
        text, the input is at its end. ``file`` is the origin of the program, for errors. ``page`` is the length of the
        longest text to return, in bytes.

        Raises ``ZylispError`` and ``ZylispInterrupted``.

        >>> repl.evaluate('(println "hello") (list 1 (quote a))')
        Reply(value=[1, 'a'], text='(1 a)', output='hello\\n', more=False)
        """
        return self._to_the_end(self._session.eval(code, file, page), on_output, on_input)

    def load_file(
        self,
        path: str,
        on_output: Optional[OnText] = None,
        on_input: Optional[OnInput] = None,
    ) -> Reply:
        """Evaluates a file on the server's side. Raises the exceptions of ``evaluate``."""
        return self._to_the_end(self._session.load_file(path), on_output, on_input)

    def more(self, page: int = 64 * 1024) -> Reply:
        """Returns the next page of the last value's text, of at most ``page`` bytes."""
        return replies.reply(_answer(self._session.more(page)))

    def complete(self, prefix: str) -> list[Candidate]:
        """Returns the names that begin with ``prefix``.

        >>> [name.name for name in repl.complete("nu")]
        ['null?', 'number->string', 'number?']
        """
        return replies.candidates(_answer(self._session.complete(prefix)))

    def look_up(self, name: str) -> dict[str, Any]:
        """Returns the facts about a name: ``usage``, ``doc``, ``file`` and ``line``, as far as
        they are known; empty for an unknown one."""
        return replies.data(_answer(self._session.look_up(name)))

    def describe(self) -> dict[str, Any]:
        """Returns the description of the server."""
        return replies.data(_answer(self._session.describe()))

    def interrupt(self) -> None:
        """Interrupts the session's evaluation, whose caller gets ``ZylispInterrupted``."""
        _answer(self._session.interrupt())

    def _to_the_end(
        self, job: Job, on_output: Optional[OnText], on_input: Optional[OnInput]
    ) -> Reply:
        printed: list[str] = []
        show = on_output or printed.append
        # Jobs that send input, which are kept because dropping one would cancel it.
        given: list[Job] = []
        try:
            while True:
                message = job.next()
                if message[0] == "done":
                    return replies.shown(message[1], show, printed)
                if message[0] == "output":
                    show(message[1].decode())
                elif message[0] == "input":
                    given.append(self._session.input(on_input() if on_input else ""))
        finally:
            # An exception raised here keeps these variables alive while it is examined.
            job.close()


def _answer(job: Job) -> Answer:
    answer: Answer = job.wait()[1]
    return answer
