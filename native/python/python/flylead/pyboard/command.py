"""The command of ``pyboard.py``: ``python -m flylead.pyboard``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any, Callable, Optional

from .board import Pyboard
from .errors import PyboardError, stdout_write_bytes
from .files import ProgressCallback


def execfile(
    filename: str,
    device: str = "/dev/ttyACM0",
    baudrate: int = 115200,
    user: str = "micro",
    password: str = "python",
) -> None:
    """Runs a file of this computer on a board and prints its output."""
    board = Pyboard(device, baudrate, user, password)
    try:
        board.enter_raw_repl()
        stdout_write_bytes(board.execfile(filename))
        board.exit_raw_repl()
    finally:
        board.close()


def filesystem_command(
    pyb: Pyboard,
    args: list[str],
    progress_callback: Optional[ProgressCallback] = None,
    verbose: bool = False,
) -> None:
    """Runs ``cp``, ``cat``, ``ls``, ``mkdir``, ``rm``, ``rmdir`` or ``touch``; a colon marks the board's paths for
    ``cp``.

    After an error, which it prints, it closes the board and raises ``SystemExit(1)``.
    """
    command, *paths = args
    try:
        if command == "cp":
            _copy(pyb, paths, progress_callback, verbose)
        else:
            _for_each(pyb, command, paths, verbose)
    except PyboardError as error:
        print(str(error.args[2], "ascii", "replace") if len(error.args) > 1 else error)
        pyb.exit_raw_repl()
        pyb.close()
        sys.exit(1)


def _copy(
    pyb: Pyboard, paths: list[str], report: Optional[ProgressCallback], verbose: bool
) -> None:
    if len(paths) < 2:
        raise PyboardError(f"cp: missing destination file operand after '{paths[0] if paths else 'cp'}'")
    *sources, target = paths
    ways: dict[tuple[bool, bool], Callable[..., object]] = {
        (True, True): pyb.fs_cp,
        (False, True): pyb.fs_put,
        (True, False): pyb.fs_get,
        (False, False): lambda src, dest, **_: shutil.copy(src, dest),
    }
    for source in sources:
        if verbose:
            print(f"cp {source} {target}")
        path = _on_board(source)
        way = ways[source.startswith(":"), target.startswith(":")]
        way(path, _named(path, _on_board(target)), progress_callback=report)


def _for_each(pyb: Pyboard, command: str, paths: list[str], verbose: bool) -> None:
    commands: dict[str, Callable[[str], object]] = {
        "cat": pyb.fs_cat,
        "ls": pyb.fs_ls,
        "mkdir": pyb.fs_mkdir,
        "rm": pyb.fs_rm,
        "rmdir": pyb.fs_rmdir,
        "touch": pyb.fs_touch,
    }
    if command not in commands:
        raise PyboardError(f"'{command}' is not a filesystem command")
    for path in paths or ([""] if command == "ls" else []):
        path = _on_board(path)
        if verbose:
            # Flushed before the board's output, which bypasses Python's own buffer.
            print(f"{command} :{path}", flush=True)
        commands[command](path)


def _on_board(path: str) -> str:
    return (path[1:] if path.startswith(":") else path).replace(os.path.sep, "/")


def _named(source: str, target: str) -> str:
    """Returns the target, with the source's name appended if the target is written as a directory."""
    name = os.path.split(source)[1]
    if target in ("", "."):
        return os.path.join(target, name)
    return target + name if target.endswith("/") else target


def main() -> None:
    """Carries out the command line, as ``pyboard.py`` does."""
    words = _parser().parse_args()
    try:
        pyb = Pyboard(words.device, words.baudrate, words.user, words.password, words.wait, words.exclusive)
    except (PyboardError, ValueError) as error:
        print(error)
        sys.exit(1)
    try:
        _use(pyb, words)
    except PyboardError as error:
        print(str(error.args[2], "ascii", "replace") if len(error.args) > 1 else error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(1)
    finally:
        pyb.close()


def _use(pyb: Pyboard, words: Any) -> None:
    has_work = words.command is not None or words.filesystem or words.files
    if has_work:
        pyb.enter_raw_repl(words.soft_reset)
        if words.filesystem:
            if not words.files:
                raise PyboardError("name a filesystem command: cp, cat, ls, mkdir, rm, rmdir or touch")
            filesystem_command(pyb, words.files, verbose=True)
        if words.command is not None:
            _run(pyb, words.command.encode(), words.follow)
        for name in [] if words.filesystem else words.files:
            with open(name, "rb") as file:
                _run(pyb, _program(pyb, name, file.read()), words.follow)
        if words.follow is False:
            return pyb._let_run()
        pyb.exit_raw_repl()
    if words.follow or not has_work:
        _end(pyb.follow(None, stdout_write_bytes)[1])


def _program(pyb: Pyboard, name: str, data: bytes) -> bytes:
    """Returns the program that runs a file; a compiled one is sent to the board's memory, and imported from there."""
    if not name.endswith(".mpy") or not data.startswith(b"M"):
        return data
    pyb.exec_(b"_injected_buf=" + repr(data).encode())
    return _IMPORT


def _run(pyb: Pyboard, program: bytes, follow: Optional[bool]) -> None:
    if follow is False:
        # The program is left running as soon as it reports that it runs.
        pyb.exec_raw_no_follow(b"print()\n" + program)
    else:
        _end(pyb.exec_raw(program, None, stdout_write_bytes)[1])


def _end(traceback: bytes) -> None:
    if traceback:
        stdout_write_bytes(traceback)
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m flylead.pyboard", description="Run scripts on a MicroPython board.")
    add = parser.add_argument
    add("-d", "--device", default=os.environ.get("PYBOARD_DEVICE", "/dev/ttyACM0"), help="the board's address")
    add("-b", "--baudrate", type=int, default=os.environ.get("PYBOARD_BAUDRATE", "115200"), help="bits per second")
    add("-u", "--user", default="micro", help="taken and not needed")
    add("-p", "--password", default="python", help="the WebREPL's password")
    add("-c", "--command", help="a program")
    add("-w", "--wait", default=0, type=int, help="seconds to wait for the board to appear")
    _flag(parser, "soft-reset", True, "restart the interpreter before anything runs [default]")
    _flag(parser, "follow", None, "show what programs write [default]")
    _flag(parser, "exclusive", True, "taken and not needed: a port has one user [default]")
    actions = "cp local :device | cp :device local | cat path | ls [path] | rm path | mkdir path | rmdir path | touch path"
    add("-f", "--filesystem", action="store_true", help=actions)
    add("files", nargs="*", help="programs, or the words of a filesystem command")
    return parser


def _flag(parser: argparse.ArgumentParser, name: str, default: Optional[bool], about: str) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(f"--{name}", action="store_true", default=default, help=about)
    group.add_argument(f"--no-{name}", action="store_false", dest=name.replace("-", "_"))


# Imports the content of `_injected_buf`, as if it were a file.
_IMPORT = b"""\
import os,io
class _FS:
 class File(io.IOBase):
  def __init__(self):self.off=0
  def ioctl(self,request,arg):return 0
  def readinto(self,buf):
   buf[:]=memoryview(_injected_buf)[self.off:self.off+len(buf)]
   self.off+=len(buf)
   return len(buf)
 mount=umount=chdir=lambda*args:None
 def stat(self,path):
  if path=='_injected.mpy':return (0,)*10
  raise OSError(-2)
 def open(self,path,mode):return self.File()
os.mount(_FS(),'/_')
os.chdir('/_')
from _injected import *
os.umount('/_')
del _injected_buf,_FS
"""
