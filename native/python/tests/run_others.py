"""MicroPython's `run-multitests.py` and `run-perfbench.py` through `pyboard.py` and through `flylead.pyboard`, compared test by
test:

    python native/python/tests/run_others.py MICROPYTHON [FILE…]

MICROPYTHON is a checkout of MicroPython; the files are those of its `tests/multi_net`, `tests/multi_extmod` and
`tests/perf_bench`, and of `multi/` here, unless given. The boards reset themselves as microcontrollers do, and have no network,
so most of `multi_net` fails through both; what their instances print is compared, too. Times differ from run to run, so of a
benchmark only its outcome is compared. The exit code is 1 if a test differs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tty
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from conftest import started
from run_tests import HERE, SHIM

GROUPS = ("multi_net", "multi_extmod", "perf_bench")
# `benchrun.py` is what each benchmark ends with.
NO_TESTS = {"benchrun.py"}


@contextmanager
def device() -> Iterator[str]:
    """A board that resets itself as microcontrollers do, at a port of its own."""
    master, port = os.openpty()
    tty.setraw(port)
    with started("unix") as address:
        command = [sys.executable, str(HERE / "hardware.py"), address]
        with subprocess.Popen(command, stdin=master, stdout=master) as process:
            try:
                yield os.ttyname(port)
            finally:
                process.kill()
                os.close(master)
                os.close(port)


def run(tests: Path, script: str, files: list[str], modules: Path | None, results: Path) -> dict[str, str]:
    """Runs a script of MicroPython's with two boards, or with one for benchmarks. Returns the outcome of each file."""
    is_perf = script == "run-perfbench.py"
    environment = dict(os.environ)
    if modules is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(modules), *sys.path])
    with ExitStack() as boards:
        instances = [word for _ in range(1 if is_perf else 2) for word in ("-t", boards.enter_context(device()))]
        command = [sys.executable, script, *instances, "--result-dir", str(results)]
        command += ["-a", "1", "100", "100"] if is_perf else ["--show-output"]
        ran = subprocess.run([*command, *files], cwd=tests, env=environment, capture_output=True, text=True, timeout=3600)
    report = results / "_results.json"
    if not report.exists():
        sys.exit(f"{script} left no results:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
    found = {name: f"{result} {reason}".strip() for name, result, reason in json.loads(report.read_text())["results"]}
    return found if is_perf else {name: f"{result}\n{printed(ran.stdout, name)}" for name, result in found.items()}


def printed(output: str, name: str) -> str:
    """Returns what the instances of a test have printed, without the names of their ports."""
    _, _, rest = output.partition(f"\n{name} on ")
    text, _, _ = rest.partition("### TRUTH ###")
    lines = text.partition("### TEST ###")[2].strip().splitlines()
    return "\n".join(line for line in lines if not line.startswith("SET IP"))


def files_of(tests: Path, group: str) -> list[str]:
    files = sorted((tests / group).glob("*.py"))
    return [file.relative_to(tests).as_posix() for file in files if file.name not in NO_TESTS]


def main(checkout: str, *chosen: str) -> int:
    tests = Path(checkout).resolve() / "tests"
    every = [file for group in GROUPS for file in files_of(tests, group)]
    files = list(chosen) or [*every, *map(str, sorted((HERE / "multi").glob("*.py")))]
    differing = 0
    with tempfile.TemporaryDirectory() as home:
        shim = Path(home) / "shim"
        shim.mkdir()
        (shim / "pyboard.py").write_text(SHIM)
        for script, prefix in (("run-multitests.py", "multi_"), ("run-perfbench.py", "perf_")):
            own = [file for file in files if file.startswith(prefix) or Path(file).name.startswith(prefix)]
            if not own:
                continue
            theirs = run(tests, script, own, None, Path(home) / f"{prefix}theirs")
            ours = run(tests, script, own, shim, Path(home) / f"{prefix}ours")
            for name in sorted({*theirs, *ours}):
                if theirs.get(name) != ours.get(name):
                    differing += 1
                    print(f"{name}: {theirs.get(name)} by pyboard.py, {ours.get(name)} by flylead.pyboard")
            outcomes = Counter(result.split()[0] for result in ours.values())
            print(f"{script}: {len(ours)} files, " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    print(f"{differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
