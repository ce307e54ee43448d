"""MicroPython's ``tools/pyboard.py`` under another import: the same names, arguments and results, and faster.

::

    from flylead import pyboard          # was: import pyboard
    pyb = pyboard.Pyboard("/dev/ttyACM0")
    pyb.enter_raw_repl()
    print(pyb.exec("print('hello')"))
    pyb.exit_raw_repl()

``python -m flylead.pyboard --device /dev/ttyACM0 -c "print('hello')"`` is its command, with the same options.

Differences from MicroPython v1.29's:

* ``device`` may be any address of ``flylead.Board.connect``; a device's IP address alone means its WebREPL there, with
  ``password``, and there is no ``TelnetToSerial``.
* Files of more than 256 bytes go by Flylead's transfer, completely or not at all, and shorter ones by one short
  program, with a sum of their bytes; ``chunk_size`` is accepted, but not used.
* A program that ``exec_raw_no_follow`` has started, and nobody follows, is stopped by ``enter_raw_repl``,
  ``exit_raw_repl`` and ``close``. All other calls wait for its end, and raise ``could not enter raw repl``, as in
  ``pyboard.py``, if it is silent for 10 seconds.
* ``serial`` has ``read``, ``write``, ``inWaiting`` and ``close``, and shows the raw REPL without the bytes of its flow
  control.
"""

from __future__ import annotations

from .board import Pyboard
from .command import execfile, filesystem_command, main
from .errors import PyboardError, stdout_write_bytes
from .files import listdir_result
from .processes import ProcessPtyToTerminal, ProcessToSerial

__all__ = [
    "ProcessPtyToTerminal",
    "ProcessToSerial",
    "Pyboard",
    "PyboardError",
    "execfile",
    "filesystem_command",
    "listdir_result",
    "main",
    "stdout_write_bytes",
]
