"""No method leaves anything on a board but its request: names, directory, search path, modules and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

import flylead

STATE = """
def __seen__():
 global __seen__
 del __seen__
 import builtins, sys, os
 print(sorted((k, builtins.repr(v)) for k, v in builtins.globals().items()))
 print(os.getcwd(), sys.path, sorted(sys.modules), os.listdir('/'))
__seen__()
"""

MEMORY = """
def __seen__():
 global __seen__
 del __seen__
 import gc
 def deep(n): return n and deep(n - 1)
 deep(60)
 gc.collect()
 print(gc.mem_free())
__seen__()
"""
# Names that the programs of files, loading and mounting use; to the board's user they are variables.
NAMES = "_t sys os gc b m o p f w h n x u open len bytes exec print rd put get out dry OSError uos".split()
# Some of the collector's blocks: what it takes for a pointer differs with what ran before.
NOISE = 384


def test_no_method_leaves_a_name_a_directory_or_memory(board: flylead.Board, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("one = 1\n")
    big = bytes(range(256)) * 40
    files = board.files
    folder = "no_trace"
    board.exec(
        "def __seen__():\n global __seen__\n del __seen__\n import builtins\n"
        f" for n in {NAMES!r}: builtins.globals()[n] = 'mine ' + n\n__seen__()"
    )

    def twice(value: int) -> int:
        return 2 * value

    def state() -> str:
        """The board's state without the folder that the methods make."""
        said = board.exec(STATE).decode()
        return said.replace(f"'{folder}', ", "").replace(f", '{folder}'", "")

    methods: dict[str, Callable[[], object]] = {
        "exec": lambda: board.exec("pass"),
        "eval": lambda: board.eval("6 * 7"),
        "call": lambda: board.call(twice, 21),
        "run": lambda: b"".join(board.run("pass")),
        "make_directory": lambda: files.make_directory(folder),
        "write": lambda: files.write(f"{folder}/small", "text"),
        "write, large": lambda: files.write(f"{folder}/large", big),
        "append": lambda: files.append(f"{folder}/small", "more"),
        "write_tree": lambda: files.write_tree({f"{folder}/in/a": b"a", f"{folder}/in/b": b"b"}),
        "sync": lambda: files.sync(tmp_path, f"{folder}/synced"),
        "list": lambda: files.list(folder),
        "tree": lambda: files.tree(folder, hashes=True),
        "stat": lambda: files.stat(f"{folder}/small"),
        "exists": lambda: files.exists("none"),
        "read": lambda: files.read(f"{folder}/small"),
        "read, large": lambda: files.read(f"{folder}/large"),
        "sha256": lambda: files.sha256(f"{folder}/large"),
        "space": lambda: files.space(),
        "rename": lambda: files.rename(f"{folder}/small", f"{folder}/other"),
        "touch": lambda: files.touch(f"{folder}/touched"),
        "read, refused": lambda: pytest.raises(flylead.FileError, files.read, "none"),
        "remove": lambda: files.remove(f"{folder}/other"),
        "remove, tree": lambda: files.remove(folder, tree=True),
    }
    before = state()
    for turn in range(2):
        for name, method in methods.items():
            free = int(board.exec(MEMORY))
            method()
            assert state() == before, name
            # The first time, what the board keeps forever of each new name is in it.
            if turn:
                left = free - max(int(board.exec(MEMORY)) for _ in range(3))
                assert left <= NOISE, (name, left)

