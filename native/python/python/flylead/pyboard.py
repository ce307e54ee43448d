"""MicroPython's ``tools/pyboard.py`` under another import: the same names, arguments and results, and faster.

::

    from flylead import pyboard          # was: import pyboard
    pyb = pyboard.Pyboard("/dev/ttyACM0")
    pyb.enter_raw_repl()
    print(pyb.exec("print('hello')"))
    pyb.exit_raw_repl()

Where it differs from MicroPython v1.29's:

* ``enter_raw_repl`` resets the board only when asked to: ``soft_reset`` is ``False`` unless given.
* ``device`` may be any address of ``flylead.Board.connect``; a device's IP address alone means its WebREPL there, with
  ``password``. ``exec:COMMAND`` works; ``execpty:COMMAND`` does not.
* Files of more than 256 bytes go by Flylead's transfer, whole or not at all, and shorter ones by one short program, with
  a sum of their bytes; ``chunk_size`` is taken and not needed.
* What ``exec_raw_no_follow`` has started, and nobody follows, is stopped by ``enter_raw_repl``, ``exit_raw_repl`` and ``close``.
  Everything else waits for its end, and as ``pyboard.py`` raises ``could not enter raw repl`` when it is silent for 10 seconds.
* There is no ``serial`` attribute.
"""

from __future__ import annotations

import ast
import errno
import os
import sys
import time
from collections import namedtuple
from typing import Any, Callable, Optional, Union

from ._flylead import Request
from .board import Board, Program
from .errors import BoardRaised, BoardTimeout, FileError, FlyleadError, OpenError
from .requests import content
from .values import Progress

__all__ = ["Pyboard", "PyboardError", "execfile", "listdir_result", "stdout_write_bytes"]

Command = Union[str, bytes]
DataConsumer = Callable[[bytes], object]
ProgressCallback = Callable[[int, int], object]

listdir_result = namedtuple("dir_result", ["name", "st_mode", "st_ino", "st_size"])  # type: ignore[name-match]


def stdout_write_bytes(b: bytes) -> None:
    """Writes a board's output to this program's stdout."""
    sys.stdout.buffer.write(b.replace(b"\x04", b""))
    sys.stdout.buffer.flush()


class PyboardError(Exception):
    """As in ``pyboard.py``: ``("exception", stdout, traceback)`` for what the board raised, one text otherwise."""

    def convert(self, info: str) -> Exception:
        """The ``OSError`` for what is missing, or this error."""
        if len(self.args) >= 3 and b"OSError" in self.args[2] and b"ENOENT" in self.args[2]:
            return OSError(errno.ENOENT, info)
        return self


class Pyboard:
    """A board, as ``pyboard.Pyboard``."""

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

        ``user``, ``timeout`` and ``write_timeout`` are taken and not needed; a port is always ``exclusive``.
        """
        self.in_raw_repl = False
        self.use_raw_paste = True
        self._board = _opened(_address(device, baudrate, password), device, wait)
        self._program: Optional[Program] = None

    def close(self) -> None:
        """Leaves the board at its prompt and closes the link."""
        self._board.close()

    def enter_raw_repl(self, soft_reset: bool = False, timeout_overall: float = 10) -> None:
        """Interrupts what runs; with ``soft_reset``, restarts the interpreter too."""
        self._stop()
        try:
            if soft_reset:
                self._board.soft_reset()
            else:
                self._board.exec(_ASKING, timeout=timeout_overall)
        except FlyleadError as error:
            raise PyboardError(f"could not enter raw repl: {error}") from error
        self.in_raw_repl = True

    def exit_raw_repl(self) -> None:
        """Goes back to the normal prompt."""
        self._stop()
        self._board._leave()
        self.in_raw_repl = False

    def exec_raw_no_follow(self, command: Command) -> None:
        """Starts a program; ``follow`` gives what it writes."""
        self._wait_for_unfollowed()
        self._program = self._board.run(command)

    def follow(
        self, timeout: Optional[float], data_consumer: Optional[DataConsumer] = None
    ) -> tuple[bytes, bytes]:
        """What the program writes, and its traceback. ``timeout`` is for silence between two pieces, in seconds."""
        program, self._program = self._program, None
        if program is None:
            raise PyboardError("timeout waiting for first EOF reception")
        output = bytearray()
        take = data_consumer or output.extend
        error = _traceback(lambda: _follow(program, timeout, take))
        if data_consumer:
            data_consumer(_END)
        return bytes(output), error

    def exec_raw(
        self,
        command: Command,
        timeout: Optional[float] = 10,
        data_consumer: Optional[DataConsumer] = None,
    ) -> tuple[bytes, bytes]:
        """Runs a program: what it writes, and its traceback. ``timeout`` is for silence, as in ``follow``."""
        self._wait_for_unfollowed()
        output = b""

        def run() -> None:
            nonlocal output
            request = Request.exec(content(command), None, timeout)
            try:
                output = self._board._ask(request, data_consumer)[0]
            except BoardRaised as raised:
                output = raised.output
                raise

        error = _traceback(run)
        if data_consumer:
            data_consumer(_END)
        return output, error

    def exec_(
        self,
        command: Command,
        timeout: Optional[float] = 10,
        data_consumer: Optional[DataConsumer] = None,
    ) -> bytes:
        """Runs a program and returns what it writes. Raises ``PyboardError("exception", stdout, traceback)``."""
        output, error = self.exec_raw(command, timeout, data_consumer)
        if error:
            raise PyboardError("exception", output, error)
        return output

    exec = exec_

    def eval(self, expression: str, parse: bool = False) -> Any:
        """What ``print`` writes of an expression's value, as bytes; or the value itself, if ``parse``."""
        if parse:
            return ast.literal_eval(self.exec_(f"print(repr({expression}))").strip().decode())
        return self.exec_(f"print({expression})").strip()

    def execfile(self, filename: Union[str, "os.PathLike[str]"]) -> bytes:
        """Runs a file of this computer."""
        with open(filename, "rb") as file:
            return self.exec_(file.read())

    def get_time(self) -> int:
        """The board's time of day in seconds. Its ``machine`` must have been imported."""
        words = str(self.eval("machine.RTC().datetime()"), encoding="utf8")[1:-1].split(", ")
        return int(words[4]) * 3600 + int(words[5]) * 60 + int(words[6])

    def fs_exists(self, src: str) -> bool:
        try:
            self.exec_(f"import os\nos.stat({_quoted(src)})")
        except PyboardError:
            return False
        return True

    def fs_ls(self, src: str) -> None:
        """Prints a directory."""
        self.exec_(_LIST_FOR_PEOPLE % _quoted(src), data_consumer=stdout_write_bytes)

    def fs_listdir(self, src: str = "") -> list[Any]:
        try:
            listed = self.exec_(_LIST % _quoted(src))
        except PyboardError as error:
            raise error.convert(src)
        entries = ast.literal_eval("[" + listed.decode() + "]")
        return [listdir_result(*entry, *[0] * (4 - len(entry))) for entry in entries]

    def fs_stat(self, src: str) -> os.stat_result:
        try:
            self.exec_("import os")
            return os.stat_result(self.eval(f"os.stat({_quoted(src)})", parse=True))
        except PyboardError as error:
            raise error.convert(src)

    def fs_cat(self, src: str, chunk_size: int = 256) -> None:
        """Prints a file."""
        stdout_write_bytes(self.fs_readfile(src).replace(b"\n", b"\r\n"))

    def fs_readfile(self, src: str, chunk_size: int = 256) -> bytes:
        return self._read(src, None)

    def fs_writefile(self, dest: str, data: bytes, chunk_size: int = 256) -> None:
        self._write(dest, data, None)

    def fs_cp(
        self,
        src: str,
        dest: str,
        chunk_size: int = 256,
        progress_callback: Optional[ProgressCallback] = None,
    ) -> None:
        """Copies a file on the board."""
        size = self._files(src, "rb", lambda: self._board.files.stat(src)).size
        self.exec_(_COPY % (_quoted(src), _quoted(dest)), timeout=None)
        if progress_callback:
            progress_callback(size, size)

    def fs_get(
        self,
        src: str,
        dest: Union[str, "os.PathLike[str]"],
        chunk_size: int = 256,
        progress_callback: Optional[ProgressCallback] = None,
    ) -> None:
        """Copies a file from the board to this computer."""
        report = _reporter(progress_callback)
        data = self._read(src, report)
        part = f"{os.fspath(dest)}.part"
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, dest)

    def fs_put(
        self,
        src: Union[str, "os.PathLike[str]"],
        dest: str,
        chunk_size: int = 256,
        progress_callback: Optional[ProgressCallback] = None,
    ) -> None:
        """Copies a file of this computer to the board."""
        report = _reporter(progress_callback)
        with open(src, "rb") as file:
            data = file.read()
        self._write(dest, data, report)

    def _read(self, path: str, report: Optional[Callable[[Progress], object]]) -> bytes:
        """A file. A short one comes with one short program: old boards take longer to read a program than to run it."""
        try:
            said = self.exec_(_READ_SHORT % (_quoted(path), _SHORT + 1))
            shown, _, total = said.decode().rpartition(" ")
            data = ast.literal_eval(shown)
            is_whole = sum(data) == int(total) and len(data) <= _SHORT
        except PyboardError as error:
            raise error.convert(path)
        except (SyntaxError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            data = self._files(path, "rb", lambda: self._board.files.read(path, report))
        if report:
            report(Progress(len(data), len(data), 0))
        return bytes(data)

    def _write(
        self, path: str, data: bytes, report: Optional[Callable[[Progress], object]]
    ) -> None:
        if len(data) > _SHORT:
            self._files(path, "wb", lambda: self._board.files.write(path, data, report))
            return
        # The sum refuses what was changed on the way, before a file is touched.
        self.exec_(_WRITE_SHORT % (bytes(data), sum(data), _quoted(path)))
        if report:
            report(Progress(len(data), len(data), 0))

    def _files(self, path: str, mode: str, call: Callable[[], Any]) -> Any:
        """A file's error as ``pyboard.py`` has it: what the board itself raises."""
        self._wait_for_unfollowed()
        try:
            return call()
        except FileError as error:
            if error.kind == "not-found":
                self._refused(path, mode)
            raise PyboardError(str(error)) from error
        except FlyleadError as error:
            raise PyboardError(str(error)) from error

    def _refused(self, path: str, mode: str) -> None:
        try:
            self.exec_(f"open({path!r},{mode!r}).close()")
        except PyboardError as error:
            raise error.convert(path) if mode == "rb" else error

    def _stop(self) -> None:
        """Ends what nobody has followed."""
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def _wait_for_unfollowed(self) -> None:
        """Lets what nobody has followed end; what it writes is dropped, as ``read_until`` in ``pyboard.py``'s ``exec_raw`` drops it."""
        program, self._program = self._program, None
        if program is None:
            return
        try:
            _traceback(lambda: _follow(program, _PATIENCE, lambda _: None))
        except PyboardError as error:
            raise PyboardError("could not enter raw repl") from error

    def fs_mkdir(self, dir: str) -> None:
        self.exec_(f"import os\nos.mkdir({_quoted(dir)})")

    def fs_rmdir(self, dir: str) -> None:
        self.exec_(f"import os\nos.rmdir({_quoted(dir)})")

    def fs_rm(self, src: str) -> None:
        self.exec_(f"import os\nos.remove({_quoted(src)})")

    def fs_touch(self, src: str) -> None:
        self.exec_(f"f=open({_quoted(src)},'a')\nf.close()")


def execfile(
    filename: str,
    device: str = "/dev/ttyACM0",
    baudrate: int = 115200,
    user: str = "micro",
    password: str = "python",
) -> None:
    """Runs a file of this computer on a board and prints what it writes."""
    board = Pyboard(device, baudrate, user, password)
    try:
        board.enter_raw_repl()
        stdout_write_bytes(board.execfile(filename))
        board.exit_raw_repl()
    finally:
        board.close()


def _address(device: str, baudrate: int, password: str) -> str:
    if device.startswith("exec:"):
        return "process:" + device[len("exec:") :]
    if device.startswith("execpty:"):
        raise PyboardError("execpty: is not supported; name the pty itself")
    if device[:1].isdigit() and device[-1:].isdigit() and device.count(".") == 3:
        return f"ws://:{password}@{device}"
    is_path = "://" not in device and not device.startswith(("id:", "unix:", "process:", "serial:", "auto"))
    return f"serial:{device}?baud={baudrate}" if is_path and baudrate != 115200 else device


def _opened(address: str, device: str, wait: int) -> Board:
    for left in range(wait, -1, -1):
        try:
            return Board.connect(address)
        except (OpenError, ValueError) as error:
            if left == 0:
                raise PyboardError(f"failed to access {device}") from error
        time.sleep(1)
    raise PyboardError(f"failed to access {device}")


def _follow(program: Program, timeout: Optional[float], take: DataConsumer) -> None:
    with program:
        while True:
            piece = program._next_within(timeout)
            if piece is None:
                return
            take(piece)


def _traceback(run: Callable[[], None]) -> bytes:
    """What the board raised meanwhile, as it writes it; nothing when it did not."""
    try:
        run()
    except BoardRaised as raised:
        return raised.traceback.replace("\n", "\r\n").encode()
    except BoardTimeout as silent:
        raise PyboardError("timeout waiting for first EOF reception") from silent
    except FlyleadError as ended:
        raise PyboardError(str(ended)) from ended
    return b""


def _reporter(callback: Optional[ProgressCallback]) -> Optional[Callable[[Progress], object]]:
    if callback is None:
        return None
    report = callback
    return lambda progress: report(progress.done, progress.total or progress.done)


def _quoted(path: str) -> str:
    """A path as Python text; nothing for none, which is the current directory."""
    return repr(path) if path else ""


_LIST_FOR_PEOPLE = (
    "import os\nfor f in os.ilistdir(%s):\n"
    " print('{:12} {}{}'.format(f[3] if len(f)>3 else 0,f[0],'/' if f[1]&0x4000 else ''))"
)
_LIST = "import os\nfor f in os.ilistdir(%s):\n print(repr(f),end=',')"
# A consumer of pyboard.py's sees the byte that ends the output, and what it took is not returned.
_END = b"\x04"
# In seconds of silence: those of `read_until` in pyboard.py.
_PATIENCE = 10.0
# In bytes.
_SHORT = 256
# Where there is no flow control each byte costs time; the names are those that pyboard.py's programs leave behind.
_READ_SHORT = "with open(%s,'rb')as f:b=f.read(%d)\nprint(b,sum(b))"
_WRITE_SHORT = "b=%r\nif sum(b)!=%d:raise OSError(5)\nwith open(%s,'wb')as f:f.write(b)"
# A program of nothing, so long that the board is asked for its raw-paste mode, and what it holds at once is known.
_ASKING = b"\n" * 129
_COPY = (
    "with open(%s,'rb') as r:\n with open(%s,'wb') as w:\n"
    "  while True:\n   d=r.read(256)\n   if not d:break\n   w.write(d)"
)
