"""A plugin of pytest that writes each report as a line of JSON to the file that `RECORD` names."""

from __future__ import annotations

import json
import os
from typing import Any, Union

import pytest

_path = os.environ["RECORD"]


def _write(**entry: Any) -> None:
    with open(_path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if isinstance(report, pytest.SubtestReport) and report.passed:
        return
    _write(
        test=report.nodeid,
        when=report.when,
        outcome=report.outcome,
        expected=hasattr(report, "wasxfail"),
        text=report.longreprtext,
        printed="".join(text for name, text in report.sections if name.startswith("Captured ")),
    )


def pytest_collectreport(report: Union[pytest.CollectReport, Any]) -> None:
    if report.outcome != "passed":
        _write(test=report.nodeid, when="collect", outcome=report.outcome, expected=False, text=report.longreprtext, printed="")
