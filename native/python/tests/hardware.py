"""A unix board that resets itself as microcontrollers do: `hardware.py PTY`, on its stdin and stdout.

At a soft reset, which `SystemExit` also causes, the unix port ends and is started again at its friendly prompt. A
microcontroller prints `soft reboot` and stays in its raw REPL (`pyexec_raw_repl` in MicroPython v1.29,
shared/runtime/pyexec.c), and ends its lines with `\\r\\n`.
"""

import os
import re
import selectors
import sys
import tty

BANNER = re.compile(rb'(\r\n)?MicroPython [^\r\n]*\r\nType "help\(\)"[^\r\n]*\r\n>>> $')
RAW = b"raw REPL; CTRL-B to exit\r\n>"


def main(path: str) -> None:
    board = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(board)
    selector = selectors.DefaultSelector()
    selector.register(board, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    is_raw = False
    held = recent = b""
    while True:
        for key, _ in selector.select():
            data = os.read(key.fd, 4096)
            if not data:
                return
            if key.fd == 0:
                if b"\x02" in data:
                    is_raw, recent = False, b""
                write(board, data)
                continue
            held += data
            recent = (recent + data)[-len(RAW) - 4096 :]
            is_raw = is_raw or RAW in recent
            if is_raw and BANNER.search(held):
                held = BANNER.sub(b"", held) + b"\r\nMPY: soft reboot\r\n" + entered(board)
            # Bytes that may become a banner are held back.
            cut = held.rfind(b"\r\nMicroPython ") if b"\r\nMicroPython " in held else held.rfind(b"MicroPython ")
            if not is_raw or cut < 0 or len(held) - cut > 200:
                cut = len(held)
            write(1, re.sub(rb"(?<!\r)\n", b"\r\n", held[:cut]))
            held = held[cut:]


def entered(board: int) -> bytes:
    """Returns the raw REPL's banner, which the board is made to show."""
    write(board, b"\x01")
    said = b""
    while not said.endswith(RAW):
        said += os.read(board, 4096)
    return RAW


def write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


main(sys.argv[1])
