"""The driver of labgrid."""

from __future__ import annotations

from pathlib import Path

import pexpect
import pytest
from conftest import started
from labgrid import Environment
from labgrid.driver import ExecutionError

SAMPLE = """
targets:
  main:
    resources:
      MicroPythonBoard:
        address: ADDRESS
    drivers:
      MicroPythonDriver: {}
imports:
  - flylead.labgrid
"""


def test_a_board_is_a_target_of_labgrid(tmp_path: Path) -> None:
    with started("unix") as address:
        use(address, tmp_path)


def use(address: str, tmp_path: Path) -> None:
    (tmp_path / "env.yaml").write_text(SAMPLE.replace("ADDRESS", address))
    driver = Environment(str(tmp_path / "env.yaml")).get_target("main").get_driver("MicroPythonDriver")
    assert driver.run("print(1)\nprint(2)") == (["1", "2"], [], 0)
    with pytest.raises(ExecutionError) as raised:
        driver.run_check("1 / 0")
    assert "ZeroDivisionError" in raised.value.stderr[-1]
    assert driver.poll_until_success("assert True")
    (tmp_path / "here").write_bytes(b"content")
    driver.put(str(tmp_path / "here"), "there")
    driver.get("there", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == b"content"
    driver.start("print('name?')\nprint('hello', input())\nwhile True: pass")
    driver.expect("name\\?")
    driver.sendline("you")
    assert driver.expect("hello (\\w\\w\\w)")[2].group(1) == b"you"
    with pytest.raises(pexpect.TIMEOUT):
        driver.expect("more", timeout=0.2)
    driver.start("print('other')\nwhile True: pass")
    driver.expect("other")
    driver.run("kept = 1")
    driver.reset()
    assert driver.run("kept")[2] == 1
    assert driver.get_status() == 1
    driver.target.deactivate(driver)
    assert driver.get_status() == 0
