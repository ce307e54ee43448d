"""Peers that are not a board at its prompt: the exception names them and the next step, as the command does."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import PROGRAMS

import flylead
from flylead import Board

KINDS = [
    "loopback",
    "silent",
    "esp",
    "esp-says-so",
    "esp-without-firmware",
    "circuitpython",
    "computer",
    "program",
    "other-speed",
]


def said_of(kind: str) -> tuple[str, str, str]:
    """Returns the exception's text for a stranger, the reason of the loss, and the sentence shown to the person."""
    command = [str(PROGRAMS / "board"), "stranger", "--kind", kind]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        address, sentence = (process.stdout.readline().strip() for _ in range(2))
        assert sentence, f"{command} told nothing"
        with Board.connect(address) as board, pytest.raises(flylead.LinkLost) as lost:
            board.exec("pass")
        process.stdin.close()
    return str(lost.value), lost.value.kind, sentence


def test_each_stranger_is_named_with_its_next_step() -> None:
    with ThreadPoolExecutor(len(KINDS)) as pool:
        for kind, (said, why, sentence) in zip(KINDS, pool.map(said_of, KINDS)):
            assert why == "not-entered", kind
            assert sentence in said, kind


@pytest.mark.skipif(sys.platform != "linux", reason="it puts a device into a mount namespace")
def test_a_board_in_its_boot_loader_is_named_with_its_next_step(tmp_path: Path) -> None:
    device = tmp_path / "bus/usb/devices/1-1"
    device.mkdir(parents=True)
    (tmp_path / "class/tty").mkdir(parents=True)
    (device / "idVendor").write_text("2e8a\n")
    (device / "idProduct").write_text("0003\n")
    shown = 'mount --bind "$1" /sys; shift; exec "$@"'
    connect = "import flylead; flylead.Board.connect()"
    command = ["unshare", "--user", "--map-root-user", "--mount", "--", "sh", "-ec", shown, "sh"]
    command += [str(tmp_path), sys.executable, "-c", connect]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert "OpenError: there is no board with a serial port" in result.stderr
    assert "an RP2040 in BOOTSEL mode" in result.stderr
    assert "plug it in again without holding the button" in result.stderr
