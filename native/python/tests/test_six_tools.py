"""One board of a hub under six tools: an idle notebook, a line that somebody has half typed, clients that are killed, a flood
of telnet, a script, and commands. Each is served soon, and the hub stays small.

``FLYLEAD_SIX_TOOLS_SECONDS=600`` runs them for ten minutes, and expects everybody to be served within two seconds.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Union

import pytest
from conftest import PROGRAMS, started

import flylead

SECONDS = float(os.environ.get("FLYLEAD_SIX_TOOLS_SECONDS", "15"))
IS_WHOLE = "FLYLEAD_SIX_TOOLS_SECONDS" in os.environ
LONGEST = 2.0 if IS_WHOLE else 60.0
"""Limit of a wait. The sample runs beside other tests, which take the processor."""
LARGEST = 32 << 10
"""Limit of the hub's memory, in KiB. A debug build has more code in memory than people's, so the sample counts data alone."""

NOTEBOOK = """
import sys
sys.stderr = sys.stdout
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
shell.run_line_magic("load_ext", "flylead")
shell.run_line_magic("board", "connect " + sys.argv[1])
for line in sys.stdin:
    shell.run_cell_magic("board", "", line)
"""


@contextmanager
def hub(address: str, folder: Path) -> Iterator[tuple[dict[str, str], str, int]]:
    """Starts a hub for a board; yields the environment of its tools, its RFC 2217 address and its process."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    command = [str(PROGRAMS / "flylead"), "serve", "--json", "--board", address, "--rfc2217=0", "--listen=127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            yield environment, said["rfc2217"][0], process.pid
        finally:
            process.terminate()


class Tools:
    """Tools at work until the end, and their waits."""

    def __init__(self, address: str, environment: dict[str, str], rfc2217: str) -> None:
        self.address = address
        self.environment = environment
        self.rfc2217 = rfc2217
        self.end = time.monotonic() + SECONDS
        self.waits: dict[str, list[float]] = {}
        self.failures: list[BaseException] = []
        self.dropped = 0
        """Number of times that the hub has disconnected the script before it was served."""

    def run(self, tools: dict[str, Callable[[random.Random], None]]) -> None:
        """Runs the tools at the same time, each with its own seed, until the end."""
        threads = [
            threading.Thread(target=self._keep_on, args=(name, tool, random.Random(seed)), daemon=True)
            for seed, (name, tool) in enumerate(tools.items())
        ]
        for thread in threads:
            thread.start()
        deadline = self.end + 120
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0))
        assert not any(thread.is_alive() for thread in threads), "a tool waits for its turn"

    def _keep_on(self, name: str, tool: Callable[[random.Random], None], dice: random.Random) -> None:
        waits = self.waits.setdefault(name, [])
        try:
            while time.monotonic() < self.end and not self.failures:
                began = time.monotonic()
                tool(dice)
                waits.append(time.monotonic() - began)
                time.sleep(dice.random() * 0.4)
        except BaseException as error:
            self.failures.append(error)

    def command(self, *words: str, notes: Union[int, IO[bytes]] = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        command = [str(PROGRAMS / "flylead"), "--port", self.address, *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe, stderr=notes)

    def exec(self, dice: random.Random) -> None:
        number = dice.randrange(10**6)
        with self.command("exec", f"print({number} + 1)") as process:
            assert process.stdout is not None
            assert process.stdout.read() == b"%d\n" % (number + 1)

    def script(self, dice: random.Random) -> None:
        """A client that opens the hub's port with its own means, and types at the prompt. One that is disconnected comes
        again, and has waited all that time."""
        while True:
            try:
                return self._type_once(dice)
            except ConnectionError:
                self.dropped += 1

    def _type_once(self, dice: random.Random) -> None:
        host, port = self.rfc2217.removeprefix("rfc2217://").split(":")
        number = dice.randrange(10**6)
        with closing(socket.create_connection((host, int(port)), 30)) as port_of_board:
            port_of_board.sendall(b"\r")
            until(port_of_board.recv, b">>> ")
            port_of_board.sendall(b"print(%d + 1)\r" % number)
            until(port_of_board.recv, b"\n%d" % (number + 1))

    def kill(self, dice: random.Random) -> None:
        """A client that dies in the middle of something. Killing it is all that is waited for."""
        programs = ["while True: pass", "print('x' * 50000)", "open('f', 'w').write('y' * 9000)"]
        with self.command("exec", dice.choice(programs)) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(dice.random() * 0.2)
            process.kill()

    def flood(self, dice: random.Random) -> None:
        """A subnegotiation that never ends, beside connections that say nothing."""
        host, port = self.rfc2217.removeprefix("rfc2217://").split(":")
        clients = [socket.create_connection((host, int(port)), 30) for _ in range(8)]
        try:
            with suppress(OSError):
                clients[0].sendall(b"\xff\xfa\x2c" + b"\xff\x07" * 500_000)
        finally:
            for client in clients:
                client.close()


class Terminal:
    """A person who types half a line, goes away, and ends it a while later."""

    def __init__(self, tools: Tools) -> None:
        self.notes = tempfile.TemporaryFile()
        self.process = tools.command("repl", notes=self.notes)
        self.number = 0
        self._type(b"prin")

    def ask(self, dice: random.Random) -> None:
        time.sleep(dice.random() * 3)
        self.number += 1
        began = time.monotonic()
        self._type(b"t('typed', %d + 1)\n" % self.number)
        assert self.process.stdout is not None
        try:
            until(self.process.stdout.read1, b"\ntyped %d" % (self.number + 1))  # type: ignore[attr-defined]
        except ConnectionError as error:
            self.notes.seek(0)
            raise AssertionError(f"the terminal ended: {self.notes.read()!r}") from error
        self.wait = time.monotonic() - began
        self._type(b"prin")

    def _type(self, keys: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(keys)
        self.process.stdin.flush()


def until(read: Callable[[int], bytes], wanted: bytes) -> None:
    """Reads until a text came."""
    came = b""
    while wanted not in came.replace(b"\r", b""):
        piece = read(4096)
        if not piece:
            raise ConnectionError(came[-200:])
        came = (came + piece)[-100_000:]


def memory(process: int) -> tuple[int, int]:
    """Returns the largest resident memory of a process so far, and that of its code and files now, in KiB."""
    status = Path(f"/proc/{process}/status").read_text()
    found = (re.search(rf"{name}:\s+(\d+) kB", status) for name in ("VmHWM", "RssFile"))
    peak, code = (int(line.group(1)) for line in found if line is not None)
    return peak, code


def ask(lines: IO[str], answers: IO[str], number: int) -> None:
    lines.write(f"print('cell', {number} + 1)\n")
    lines.flush()
    answer = answers.readline()
    assert answer == f"cell {number + 1}\n", answer


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not say what a process holds")
def test_six_tools_are_served_soon_by_a_small_hub(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with started("unix") as address, hub(address, tmp_path) as (environment, rfc2217, process):
        tools = Tools(address, environment, rfc2217)
        command = [sys.executable, "-c", NOTEBOOK, address]
        pipe = subprocess.PIPE
        notebook = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        lines, answers = notebook.stdin, notebook.stdout
        assert lines is not None and answers is not None
        ask(lines, answers, 0)
        terminal = Terminal(tools)
        cells: list[float] = []
        typed: list[float] = []

        def cell(dice: random.Random) -> None:
            # Most of the time, the notebook lies there with its connection.
            time.sleep(dice.random() * 5)
            began = time.monotonic()
            ask(lines, answers, dice.randrange(10**6))
            cells.append(time.monotonic() - began)

        def line(dice: random.Random) -> None:
            terminal.ask(dice)
            typed.append(terminal.wait)

        try:
            every = {"exec": tools.exec, "notebook": cell, "terminal": line}
            tools.run({**every, "script": tools.script, "killed": tools.kill, "flood": tools.flood})
            waits = {"exec": tools.waits["exec"], "script": tools.waits["script"], "notebook": cells, "terminal": typed}
            peak, code = memory(process)
        finally:
            for child in (notebook, terminal.process):
                child.kill()
                child.wait()
                for stream in (child.stdin, child.stdout):
                    with suppress(OSError):
                        stream.close()  # type: ignore[union-attr]
    with capsys.disabled():
        for name, all_of_it in waits.items():
            ordered = sorted(all_of_it)
            print(f"\n{name}: {len(ordered)} served, half within {ordered[len(ordered) // 2]:.2f} s, all within {ordered[-1]:.2f} s", end="")
        killed, floods = len(tools.waits["killed"]), len(tools.waits["flood"])
        print(f"\nthe script was disconnected {tools.dropped} times", end="")
        print(f"\n{killed} clients killed, {floods} floods, the hub took {peak / 1024:.1f} MiB, {code / 1024:.1f} of it code")
    if tools.failures:
        raise tools.failures[0]
    assert max(map(max, waits.values())) < LONGEST
    assert peak - code < LARGEST, f"{peak} KiB"
