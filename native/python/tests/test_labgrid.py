"""The driver of labgrid."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pytest
from conftest import PROGRAMS, started
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


PORTS = """
targets:
  main:
    resources:
      RESOURCE
    drivers:
      MicroPythonDriver: {}
      DRIVERS
imports:
  - flylead.labgrid
"""


def driver_at(tmp_path: Path, resource: str, drivers: str = "") -> Any:
    text = PORTS.replace("RESOURCE", resource).replace("DRIVERS", drivers)
    (tmp_path / "env.yaml").write_text(text)
    return Environment(str(tmp_path / "env.yaml")).get_target("main").get_driver("MicroPythonDriver")


def test_a_serial_port_is_a_target(tmp_path: Path) -> None:
    with started("unix") as address:
        driver = driver_at(tmp_path, f"RawSerialPort: {{port: {address}, speed: 115200}}")
        assert driver.run("print(6 * 7)") == (["42"], [], 0)
        driver.target.deactivate(driver)


@pytest.mark.parametrize("protocol", ["rfc2217", "raw"])
def test_a_port_of_another_computer_is_a_target(tmp_path: Path, protocol: str) -> None:
    with started("unix") as address, server(address, protocol, tmp_path) as port:
        resource = f"NetworkSerialPort: {{host: 127.0.0.1, port: {port}, speed: 115200, protocol: {protocol}}}"
        driver = driver_at(tmp_path, resource)
        assert driver.run("print(6 * 7)") == (["42"], [], 0)
        (tmp_path / "here").write_bytes(bytes(range(256)))
        driver.put(str(tmp_path / "here"), "there")
        driver.get("there", str(tmp_path / "back"))
        assert (tmp_path / "back").read_bytes() == bytes(range(256))
        driver.target.deactivate(driver)


@contextmanager
def server(address: str, protocol: str, folder: Path) -> Iterator[int]:
    """A port for a board in the network: by `flylead serve`, or by passing bytes on."""
    if protocol == "raw":
        with relay(address) as port:
            yield port
        return
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    command = [str(PROGRAMS / "flylead"), "serve", "--json", "--board", address, "--rfc2217=0", "--listen=127.0.0.1:0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(json.loads(process.stdout.readline())["rfc2217"][0].rsplit(":", 1)[1])
        finally:
            process.terminate()


@contextmanager
def relay(address: str) -> Iterator[int]:
    device = os.open(address, os.O_RDWR | os.O_NOCTTY)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                while True:
                    ready, _, _ = select.select([client, device], [], [])
                    for source in ready:
                        data = client.recv(4096) if source is client else os.read(device, 4096)
                        if not data:
                            return
                        client.sendall(data) if source is device else os.write(device, data)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(30)
    os.close(device)


def test_a_board_that_hangs_is_switched_off_and_on_by_the_power_driver(tmp_path: Path) -> None:
    master, mute = os.openpty()
    with started("unix") as address:
        port = tmp_path / "port"
        port.symlink_to(os.ttyname(mute))
        (tmp_path / "on.sh").write_text(f"ln -sfn {address} {port}; echo on >> {tmp_path}/log\n")
        (tmp_path / "off.sh").write_text(f"echo off >> {tmp_path}/log\n")
        power = f"ExternalPowerDriver: {{cmd_on: sh {tmp_path}/on.sh, cmd_off: sh {tmp_path}/off.sh, delay: 0.0}}"
        try:
            driver = driver_at(tmp_path, f"MicroPythonBoard: {{address: {port}}}", power)
            assert driver.run("print(6 * 7)") == (["42"], [], 0)
            assert (tmp_path / "log").read_text() == "off\non\n"
            driver.reset(mode="power")
            assert (tmp_path / "log").read_text() == "off\non\noff\non\n"
            assert driver.run("print(1)") == (["1"], [], 0)
            driver.target.deactivate(driver)
        finally:
            os.close(master)
            os.close(mute)


def test_a_reset_of_the_power_needs_a_power_driver(tmp_path: Path, address: str) -> None:
    driver = driver_at(tmp_path, f"MicroPythonBoard: {{address: {address}}}")
    with pytest.raises(ValueError, match="no power driver"):
        driver.reset(mode="power")
    with pytest.raises(ValueError, match="cannot be reset by 'hard'"):
        driver.reset(mode="hard")
    assert driver.run("print(1)") == (["1"], [], 0)
    driver.target.deactivate(driver)
