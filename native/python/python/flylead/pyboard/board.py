"""``Pyboard``: programs and values, as in ``pyboard.py``."""

from __future__ import annotations

import ast
import os
import sys
import time
from typing import Any, Callable, Optional, Union

from .._flylead import Request
from ..board import Board, Program
from ..errors import BoardExited, BoardRaised, BoardTimeout, FlyleadError, OpenError
from ..requests import content
from .errors import DataConsumer, PyboardError
from .files import FileSystem
from .processes import PtyProcess
from .wire import END, EXITED, PROMPT, Wire, as_written

Command = Union[str, bytes]


class Pyboard(FileSystem):
    """A board, like ``pyboard.Pyboard``."""

    def __init__(
        self,
        device: str,
        baudrate: int = 115200,
        user: str = "micro",
        password: str = "python",
        wait: int = 0,
        exclusive: bool = True,
        timeout: Optional[float] = None,
        write_timeout: float = 5,
    ) -> None:
        """Opens ``device``, trying again each second for ``wait`` seconds. Raises ``PyboardError``.

        ``user``, ``timeout`` and ``write_timeout`` are accepted, but not used; a port is always ``exclusive``.
        """
        self.in_raw_repl = False
        self.use_raw_paste = True
        self._process: Optional[PtyProcess] = None
        self._program: Optional[Program] = None
        self.serial = Wire(self)
        """The raw REPL as bytes."""
        if device.startswith("execpty:"):
            self._process = PtyProcess(device[len("execpty:") :])
            address = self._process.path
        else:
            address = _address(device, int(baudrate), password)
        try:
            self._board = _opened(address, device, wait)
        except PyboardError:
            self._end_process()
            raise

    def close(self) -> None:
        """Leaves the board at its prompt and closes the link."""
        self._board.close()
        self._end_process()

    def _let_run(self) -> None:
        """Closes the link, and lets the program that ``exec_raw_no_follow`` has started continue."""
        program, self._program = self._program, None
        if program is None:
            return self.close()
        try:
            program._next_within(_PATIENCE)
        except BoardRaised as raised:
            raise PyboardError("exception", b"", as_written(raised)) from raised
        program._job.detach()
        program._ended = True
        self._board._session.call(Request.close(True))
        self._end_process()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def read_until(
        self,
        min_num_bytes: int,
        ending: Union[bytes, tuple[bytes, ...]],
        timeout: Optional[float] = 10,
        data_consumer: Optional[DataConsumer] = None,
        timeout_overall: Optional[float] = None,
    ) -> bytes:
        """Reads from ``serial`` up to ``ending``, or until it is silent for ``timeout`` seconds.

        If given, ``data_consumer`` gets each byte, and only the last one is returned.
        """
        endings = ending if isinstance(ending, tuple) else (ending,)
        if data_consumer is None:
            return self.serial.read_until(endings, timeout, timeout_overall)
        assert all(len(one) == 1 for one in endings), "a consumer's ending has one byte"
        return self.serial.read_until(endings, timeout, timeout_overall, data_consumer)

    def enter_raw_repl(self, soft_reset: bool = True, timeout_overall: float = 10) -> None:
        """Interrupts the running program and, unless ``soft_reset`` is false, restarts the interpreter."""
        self._stop()
        try:
            if soft_reset:
                self._board.soft_reset()
            else:
                self._board.exec(_ASKING, timeout=timeout_overall)
        except FlyleadError as error:
            raise PyboardError(f"could not enter raw repl: {error}") from error
        self.in_raw_repl = True
        self.serial.put(PROMPT)

    def exit_raw_repl(self) -> None:
        """Returns to the normal prompt."""
        self._stop()
        self._board._leave()
        self.in_raw_repl = False

    def exec_raw_no_follow(self, command: Command) -> None:
        """Starts a program; ``follow`` returns its output."""
        self._wait_for_unfollowed()
        self.serial.begin()
        self._program = self._board.run(command)

    def follow(
        self, timeout: Optional[float], data_consumer: Optional[DataConsumer] = None
    ) -> tuple[bytes, bytes]:
        """Returns the program's output and its traceback. ``timeout`` limits the silence between two pieces, in
        seconds."""
        if self.serial.is_read or (self._program is None and not self.in_raw_repl):
            return self._follow_wire(timeout, data_consumer)
        program, self._program = self._program, None
        if program is None:
            raise PyboardError("timeout waiting for first EOF reception")
        output = bytearray()
        take = data_consumer or output.extend
        error = self._traceback(lambda: _follow(program, timeout, take))
        if data_consumer:
            data_consumer(END)
        return bytes(output), error

    def _follow_wire(
        self, timeout: Optional[float], data_consumer: Optional[DataConsumer]
    ) -> tuple[bytes, bytes]:
        """Returns the rest of the output that a script reads from ``serial``, or the board's output at its prompt."""
        output = self.read_until(1, END, timeout, data_consumer)
        if not output.endswith(END):
            raise PyboardError("timeout waiting for first EOF reception")
        error = self.read_until(1, END, timeout)
        if not error.endswith(END):
            raise PyboardError("timeout waiting for second EOF reception")
        return output[:-1], error[:-1]

    def exec_raw(
        self,
        command: Command,
        timeout: Optional[float] = 10,
        data_consumer: Optional[DataConsumer] = None,
    ) -> tuple[bytes, bytes]:
        """Runs a program; returns its output and its traceback. ``timeout`` limits the silence, as in ``follow``."""
        self._wait_for_unfollowed()
        self.serial.begin()
        output = b""

        def run() -> None:
            nonlocal output
            request = Request.exec(content(command), None, timeout)
            try:
                output = self._board._ask(request, data_consumer)[0]
            except (BoardRaised, BoardExited) as ended:
                output = ended.output
                raise

        error = self._traceback(run)
        if data_consumer:
            data_consumer(END)
        return output, error

    def exec_(
        self,
        command: Command,
        timeout: Optional[float] = 10,
        data_consumer: Optional[DataConsumer] = None,
    ) -> bytes:
        """Runs a program and returns its output. Raises ``PyboardError("exception", stdout, traceback)``."""
        output, error = self.exec_raw(command, timeout, data_consumer)
        if error:
            raise PyboardError("exception", output, error)
        return output

    exec = exec_

    def eval(self, expression: str, parse: bool = False) -> Any:
        """Returns the output of ``print`` for an expression's value, as bytes, or the value itself, if ``parse``."""
        if parse:
            return ast.literal_eval(self.exec_(f"print(repr({expression}))").strip().decode())
        return self.exec_(f"print({expression})").strip()

    def execfile(self, filename: Union[str, "os.PathLike[str]"]) -> bytes:
        """Runs a file of this computer."""
        with open(filename, "rb") as file:
            return self.exec_(file.read())

    def get_time(self) -> int:
        """Returns the board's time of day in seconds. Its ``machine`` must have been imported."""
        words = str(self.eval("machine.RTC().datetime()"), encoding="utf8")[1:-1].split(", ")
        return int(words[4]) * 3600 + int(words[5]) * 60 + int(words[6])

    def _traceback(self, run: Callable[[], None]) -> bytes:
        """Returns the traceback that the board wrote meanwhile; empty if there was none, or for ``SystemExit``."""
        try:
            run()
        except BoardRaised as raised:
            self.serial.put(PROMPT)
            return as_written(raised)
        except BoardExited:
            self.serial.put(EXITED)
            return b""
        except BoardTimeout as silent:
            raise PyboardError("timeout waiting for first EOF reception") from silent
        except FlyleadError as ended:
            raise PyboardError(str(ended)) from ended
        self.serial.put(PROMPT)
        return b""

    def _stop(self) -> None:
        """Stops the program that nobody has followed."""
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def _wait_for_unfollowed(self) -> None:
        """Waits for the program that nobody has followed; its output is dropped, as by ``read_until`` in
        ``pyboard.py``'s ``exec_raw``."""
        program, self._program = self._program, None
        if program is None:
            return
        try:
            self._traceback(lambda: _follow(program, _PATIENCE, lambda _: None))
        except PyboardError as error:
            raise PyboardError("could not enter raw repl") from error


def _address(device: str, baudrate: int, password: str) -> str:
    if device.startswith("exec:"):
        return "process:" + device[len("exec:") :]
    if device[:1].isdigit() and device[-1:].isdigit() and device.count(".") == 3:
        return f"ws://:{password}@{device}"
    is_path = "://" not in device and not device.startswith(("id:", "unix:", "process:", "serial:", "auto"))
    return f"serial:{device}?baud={baudrate}" if is_path and baudrate != 115200 else device


def _opened(address: str, device: str, wait: int) -> Board:
    delayed = False
    try:
        for left in range(wait, -1, -1):
            try:
                board = Board.connect(address)
                # Scripts expect the board as they left it.
                board._keep(True)
                return board
            except (OpenError, ValueError) as error:
                if left == 0:
                    raise PyboardError(f"failed to access {device}") from error
            if not delayed:
                _say(f"Waiting {wait} seconds for pyboard ")
            delayed = True
            time.sleep(1)
            _say(".")
    finally:
        if delayed:
            _say("\n")
    raise PyboardError(f"failed to access {device}")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _follow(program: Program, timeout: Optional[float], take: DataConsumer) -> None:
    with program:
        while True:
            piece = program._next_within(timeout)
            if piece is None:
                return
            take(piece)


# In seconds of silence: those of `read_until` in pyboard.py.
_PATIENCE = 10.0
# An empty program, long enough that the board is asked for its raw-paste mode, and the size of its buffer is known.
_ASKING = b"\n" * 129
