"""Files of a board, as in ``pyboard.py``."""

from __future__ import annotations

import ast
import os
from collections import namedtuple
from typing import Any, Callable, Optional, Union

from ..board import Board
from ..errors import FileError, FlyleadError
from ..requests import Content, content
from ..values import Progress
from .errors import DataConsumer, PyboardError, stdout_write_bytes

ProgressCallback = Callable[[int, int], object]

listdir_result = namedtuple("dir_result", ["name", "st_mode", "st_ino", "st_size"])  # type: ignore[name-match]


class FileSystem:
    """The part of ``Pyboard`` for files."""

    _board: Board

    def exec_(
        self, command: Content, timeout: Optional[float] = 10, data_consumer: Optional[DataConsumer] = None
    ) -> bytes:
        raise NotImplementedError

    def eval(self, expression: str, parse: bool = False) -> Any:
        raise NotImplementedError

    def _wait_for_unfollowed(self) -> None:
        raise NotImplementedError

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

    def fs_writefile(self, dest: str, data: Content, chunk_size: int = 256) -> None:
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
        data = self._read(src, report, converts=False)
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

    def _read(
        self, path: str, report: Optional[Callable[[Progress], object]], converts: bool = True
    ) -> bytes:
        """Reads a file. A short one is read by one short program: old boards take longer to read a program than to run
        it."""
        try:
            said = self.exec_(_READ_SHORT % (_quoted(path), _SHORT + 1))
            shown, _, total = said.decode().rpartition(" ")
            data = ast.literal_eval(shown)
            is_whole = sum(data) == int(total) and len(data) <= _SHORT
        except PyboardError as error:
            raise error.convert(path) if converts else error
        except (SyntaxError, TypeError, ValueError):
            is_whole = False
        if not is_whole:
            data = self._files(path, "rb", lambda: self._board.files.read(path, report))
        if report:
            report(Progress(len(data), len(data), 0))
        return bytes(data)

    def _write(
        self, path: str, written: Content, report: Optional[Callable[[Progress], object]]
    ) -> None:
        data = content(written)
        if len(data) > _SHORT:
            self._files(path, "wb", lambda: self._board.files.write(path, data, report))
            return
        # The sum detects changes on the way, before a file is touched.
        self.exec_(_WRITE_SHORT % (data, sum(data), _quoted(path)))
        if report:
            report(Progress(len(data), len(data), 0))

    def _files(self, path: str, mode: str, call: Callable[[], Any]) -> Any:
        """Calls a function, converting a file's error to that of ``pyboard.py``, which the board itself raises."""
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

    def fs_mkdir(self, dir: str) -> None:
        self.exec_(f"import os\nos.mkdir({_quoted(dir)})")

    def fs_rmdir(self, dir: str) -> None:
        self.exec_(f"import os\nos.rmdir({_quoted(dir)})")

    def fs_rm(self, src: str) -> None:
        self.exec_(f"import os\nos.remove({_quoted(src)})")

    def fs_touch(self, src: str) -> None:
        self.exec_(f"f=open({_quoted(src)},'a')\nf.close()")


def _reporter(callback: Optional[ProgressCallback]) -> Optional[Callable[[Progress], object]]:
    if callback is None:
        return None
    report = callback
    return lambda progress: report(progress.done, progress.total or progress.done)


def _quoted(path: str) -> str:
    """Returns a path as Python text; empty for no path, which stands for the current directory."""
    return repr(path) if path else ""


_LIST_FOR_PEOPLE = (
    "import os\nfor f in os.ilistdir(%s):\n"
    " print('{:12} {}{}'.format(f[3] if len(f)>3 else 0,f[0],'/' if f[1]&0x4000 else ''))"
)
_LIST = "import os\nfor f in os.ilistdir(%s):\n print(repr(f),end=',')"
# In bytes.
_SHORT = 256
# Without flow control, each byte costs time; the names are those that pyboard.py's programs leave behind.
_READ_SHORT = "with open(%s,'rb')as f:b=f.read(%d)\nprint(b,sum(b))"
_WRITE_SHORT = "b=%r\nif sum(b)!=%d:raise OSError(5)\nwith open(%s,'wb')as f:f.write(b)"
_COPY = (
    "with open(%s,'rb') as r:\n with open(%s,'wb') as w:\n"
    "  while True:\n   d=r.read(256)\n   if not d:break\n   w.write(d)"
)
