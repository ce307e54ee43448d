"""MicroPython's own tests through `pyboard.py` and through `flylead.pyboard`, compared file by file:

    python native/python/tests/run_tests.py MICROPYTHON [FOLDER…]

MICROPYTHON is a checkout of MicroPython; the folders are basics, extmod, micropython and float unless given. Both run
`tests/run-tests.py` on a unix board that resets itself as microcontrollers do, without the files that need a `unittest` on
the board. The exit code is 1 if a file differs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conftest import started

HERE = Path(__file__).parent
FOLDERS = ["basics", "extmod", "micropython", "float"]
SHIM = "from flylead.pyboard import *\nfrom flylead.pyboard import filesystem_command, main\n"


def run(tests: Path, folders: list[str], modules: Path | None, results: Path) -> tuple[dict[str, str], float]:
    """Runs the tests of folders. Returns the result of each file, and the time that all took, in seconds.

    `modules` is a folder whose `pyboard.py` takes the place of MicroPython's own.
    """
    with started("unix") as address:
        device = f"exec:exec {sys.executable} {HERE / 'hardware.py'} {address}"
        command = [sys.executable, "run-tests.py", "-t", device, "--result-dir", str(results)]
        # Without a unittest on the board, run-tests.py ends at the first test that needs one.
        for file in needing_unittest(tests, folders):
            command += ["-e", f"{re.escape(file)}$"]
        command += ["-d", *folders]
        environment = dict(os.environ)
        if modules is not None:
            environment["PYTHONPATH"] = os.pathsep.join([str(modules), *sys.path])
        began = time.monotonic()
        ran = subprocess.run(command, cwd=tests, env=environment, capture_output=True, text=True)
        took = time.monotonic() - began
    report = results / "_results.json"
    if not report.exists():
        sys.exit(f"run-tests.py left no results:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
    found = json.loads(report.read_text())["results"]
    return {name: f"{result} {reason}".strip() for name, result, reason in found}, took


def needing_unittest(tests: Path, folders: list[str]) -> list[str]:
    files = (file for folder in folders for file in sorted((tests / folder).glob("*.py")))
    return [file.relative_to(tests).as_posix() for file in files if "import unittest" in file.read_text()]


def main(checkout: str, *folders: str) -> int:
    tests = Path(checkout).resolve() / "tests"
    with tempfile.TemporaryDirectory() as home:
        shim = Path(home) / "shim"
        shim.mkdir()
        (shim / "pyboard.py").write_text(SHIM)
        wanted = list(folders) or FOLDERS
        theirs, their_time = run(tests, wanted, None, Path(home) / "theirs")
        ours, our_time = run(tests, wanted, shim, Path(home) / "ours")
    differing = [name for name in sorted({*theirs, *ours}) if theirs.get(name) != ours.get(name)]
    for name in differing:
        print(f"{name}: {theirs.get(name)} by pyboard.py, {ours.get(name)} by flylead.pyboard")
    passed = sum(result == "pass" for result in ours.values())
    print(f"{len(ours)} files, {passed} pass, {len(differing)} differ")
    print(f"pyboard.py {their_time:.1f} s, flylead.pyboard {our_time:.1f} s")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
