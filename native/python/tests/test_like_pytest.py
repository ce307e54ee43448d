"""The files of `like_pytest/`, by pytest on this computer, and on a board by pytest with the plugin and by `flylead test`."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import PROGRAMS, started

FOLDER = Path(__file__).parent / "like_pytest"
LIMIT = 300
# Stands for pytest's comparison item by item.
COMPARED = "(compared item by item)"


class Seen(NamedTuple):
    """Result of a test, as one of the three shows it."""

    outcome: str
    """``passed``, for example, or ``passed, error`` for a test whose teardown failed."""
    values: str
    """Exception or assert of each failure, with the compared values."""
    output: str


Results = dict[str, Seen]


class Difference(NamedTuple):
    test: str
    where: str
    """``plugin`` or ``command``."""
    what: str
    """``values``, ``output``, or outcomes such as ``passed → failed``."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Results]:
    folder = tmp_path_factory.mktemp("like_pytest") / "files"
    shutil.copytree(FOLDER / "files", folder)
    shutil.copy(FOLDER / "pytest.ini", folder)
    here = by_pytest(folder, "-p", "no:flylead")
    with started("unix") as address:
        plugin = by_pytest(folder, f"--board={address}", "-o", "board_tests=test_*.py")
        command = by_command(folder, address)
    return {"here": here, "plugin": plugin, "command": command}


def by_pytest(folder: Path, *words: str) -> Results:
    record = folder.parent / "record.json"
    record.unlink(missing_ok=True)
    env = {**os.environ, "RECORD": str(record), "PYTHONPATH": str(FOLDER)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "record", "-p", "no:cacheprovider", *words]
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=LIMIT)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    reports = [json.loads(line) for line in record.read_text().splitlines()]
    # The last report of a test has the output of all its phases.
    printed = {report["test"]: report["printed"] for report in reports}
    return gathered((report["test"], outcome(report), report["text"], printed[report["test"]]) for report in reports)


def outcome(report: dict[str, Any]) -> str:
    if report["outcome"] == "skipped":
        return "xfailed" if report["expected"] else "skipped"
    if report["outcome"] == "failed":
        return "failed" if report["when"] == "call" else "error"
    if report["when"] == "call":
        return "xpassed" if report["expected"] else "passed"
    return ""


def by_command(folder: Path, address: str) -> Results:
    command = [str(PROGRAMS / "flylead"), "--json", "test", "-p", address]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert events and events[-1]["event"] == "end", ran.stdout + ran.stderr
    ended = (event for event in events if event["event"] == "test")
    return gathered(
        (
            "::".join(filter(None, [event["file"], event.get("test")])),
            event["outcome"],
            event.get("traceback") or event["message"],
            event.get("printed", ""),
        )
        for event in ended
    )


def gathered(reports: Iterable[tuple[str, str, str, str]]) -> Results:
    results: Results = {}
    for test, outcome, text, printed in reports:
        before = results.get(test, Seen("", "", ""))
        failed = outcome in ("failed", "error")
        results[test] = Seen(
            ", ".join(filter(None, [before.outcome, outcome])),
            "\n".join(filter(None, [before.values, said(text) if failed else ""])),
            before.output if before.output.startswith(printed.strip()) else printed.strip(),
        )
    return results


def said(text: str) -> str:
    """Returns the exception at the end of a traceback, or the assert and where its values are from, in one form for both
    interpreters."""
    lines = text.rstrip().splitlines()
    marked = [at for at, line in enumerate(lines) if re.match(r"E( |$)", line)]
    if marked:
        first = next(at for at in marked if at - 1 not in marked and all(n in marked for n in range(at, marked[-1] + 1)))
        kept = [re.sub(r"^E {0,7}", "", line) for line in lines[first : marked[-1] + 1]]
    else:
        frames = [at for at, line in enumerate(lines) if line.startswith("  File ")]
        kept = lines[frames[-1] + 1 :] if frames else lines
        if frames and kept and kept[0].startswith("    "):
            kept = kept[1:]
    kept = [line.rstrip() for line in kept if not line.startswith("Traceback ")]
    if "" in kept:
        kept = [*kept[: kept.index("")], COMPARED]
    return tidied("\n".join(kept).strip())


def tidied(text: str) -> str:
    text = text.replace("AssertionError: assert ", "assert ")
    # Modules of exceptions and classes, and addresses.
    text = re.sub(r"^(\w+\.)+(?=\w+(: |$))", "", text)
    text = re.sub(r"<module '(\w+)'[^>]*>", r"<module '\1'>", text)
    # MicroPython's exceptions without a message.
    text = re.sub(r"^(\w+):$", r"\1", text)
    text = re.sub(r"<(?:[\w.]+\.)?(\w+) object at (?:0x)?[0-9a-f]+>", r"<\1 object>", text)
    return re.sub(r"<(function|bound|closure|generator)(?:[^<>]|<[^<>]*>)*>", "<it>", text)


def is_same(here: str, board: str) -> bool:
    """Returns true for equal values. Of long ones pytest leaves out the middle; and where it compares both item by item, it
    does not say where they are from."""
    if COMPARED in here:
        here = here.replace("\n" + COMPARED, "")
        board = re.sub(r"\n +\+ +(where|and) .*", "", board)
    return re.fullmatch(re.escape(here).replace(r"\.\.\.", ".*"), board, re.DOTALL) is not None


def differences(results: dict[str, Results], where: str) -> list[Difference]:
    found = []
    nothing = Seen("not there", "", "")
    for test in sorted({*results["here"], *results[where]}):
        here, board = (results[one].get(test, nothing) for one in ("here", where))
        if here.outcome != board.outcome:
            found.append(Difference(test, where, f"{here.outcome} → {board.outcome}"))
        elif not is_same(here.values, board.values):
            found.append(Difference(test, where, "values"))
        elif here.output != board.output:
            found.append(Difference(test, where, "output"))
    return found


def listed() -> list[Difference]:
    """Returns the rows of the table in `differences.md`."""
    lines = (FOLDER / "differences.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert all(len(row) == 4 and row[3] for row in rows), "each row needs a test, where, what and a reason"
    return [Difference(row[0].strip("`"), row[1], row[2]) for row in rows[2:]]


def is_of(row: Difference, found: Difference) -> bool:
    # Brackets are those of a test's parameters.
    pattern = row.test.replace("[", "[[]")
    return (
        row.where in ("both", found.where)
        and row.what == found.what
        and fnmatch.fnmatchcase(found.test, pattern)
    )


def test_the_same_outcomes_and_values_or_a_listed_difference(results: dict[str, Results]) -> None:
    found = [*differences(results, "plugin"), *differences(results, "command")]
    rows = listed()
    shown = [
        f"{one.test} ({one.where}): {one.what}\n  here:  {results['here'].get(one.test)}"
        f"\n  board: {results[one.where].get(one.test)}"
        for one in found
        if not any(is_of(row, one) for row in rows)
    ]
    assert not shown, f"{len(shown)} differences are not listed:\n" + "\n".join(shown)
    origins = {"both": ["plugin", "command"]}
    past = [
        f"{row.test} ({where}): {row.what}"
        for row in rows
        for where in origins.get(row.where, [row.where])
        if not any(is_of(row._replace(where=where), one) for one in found)
    ]
    assert not past, "listed differences that no longer occur:\n" + "\n".join(past)


def test_there_are_enough_files_and_enough_of_them_fail(results: dict[str, Results]) -> None:
    files = {path.relative_to(FOLDER / "files").as_posix() for path in FOLDER.glob("files/**/test_*.py")}
    assert len(files) >= 120
    assert len({Path(file).name for file in files}) == len(files), "pytest imports files by their names"
    failing = {test.split("::")[0] for test, seen in results["here"].items() if "failed" in seen.outcome}
    assert 3 * len(failing) >= len(files)
    for where, all_of in results.items():
        assert {test.split("::")[0] for test in all_of} == files, where
