"""Records rows to a card and sends them to `flylead export`, for programs of your own.

    from flylead_recorder import Recorder

    recorder = Recorder("/sd", ("ms", "celsius"), device="greenhouse 2.1")
    while True:
        recorder.poll()                    # answers START, STOP and EXPORT; call it often
        if recorder.is_due(100):           # every 100 ms while it records
            recorder.row(time.ticks_ms(), sensor.read())

Rows are on the card after a second at the latest, so a power cut costs no more than that. It speaks Serial Control and
Export Protocol with Flylead's extension: RUN=, REQ=, DEVICE= and CRC32=.
"""

import binascii
import os
import select
import sys
import time


class Recorder:
    """One folder with a file for each run, and one line to the computer.

    `columns`: their names. `device`: what this is, for the manifest of each log. `stream`: a UART; USB if not given.
    """

    FLUSH_MS = 1000
    LONGEST_LINE = 100

    def __init__(self, folder, columns, device="", stream=None):
        self.folder = folder
        self.header = ",".join(columns)
        self.device = device
        # The buffer, because stdout itself turns each \n into \r\n, and the size would be wrong.
        self._out = stream or sys.stdout.buffer
        self._in = stream or sys.stdin
        self._poll = select.poll()
        self._poll.register(self._in, select.POLLIN)
        self._line = ""
        self._file = None
        self._flushed = self._next = 0

    @property
    def is_recording(self):
        return self._file is not None

    def is_due(self, period_ms):
        """True once in so many milliseconds while it records."""
        if not self._file or time.ticks_diff(time.ticks_ms(), self._next) < 0:
            return False
        self._next = time.ticks_add(self._next, period_ms)
        return True

    def row(self, *values):
        """Writes one row. A card that takes no more ends the recording, and the computer is told."""
        if not self._file:
            return
        try:
            self._file.write(",".join(str(value) for value in values) + "\n")
            if time.ticks_diff(time.ticks_ms(), self._flushed) >= self.FLUSH_MS:
                self._flush()
        except OSError:
            self._file = None
            self.say("ERROR: SD write failed")

    def poll(self):
        """Reads what came, and answers whole lines."""
        while self._poll.poll(0):
            letter = self._in.read(1)
            if not letter:
                return
            if not isinstance(letter, str):
                letter = chr(letter[0])
            if letter in "\r\n":
                line, self._line = self._line, ""
                if line:
                    self.say(self._answer(line))
            elif len(self._line) < self.LONGEST_LINE:
                self._line += letter

    def say(self, text):
        """Says a line to the computer; not within an export."""
        self._out.write(text.encode() + b"\n")

    def _answer(self, line):
        try:
            if line == "STOP":
                return self._stop()
            verb, _, run_id = line.partition(" run_id=")
            if verb == "START":
                return self._start(run_id)
            if verb == "EXPORT":
                run_id, _, request = run_id.partition(" req=")
                return self._export(run_id, request if request.isdigit() else "0")
            return "ERROR: unknown command"
        except OSError:
            return "ERROR: Log file not found, or the card is full"
        except ValueError as error:
            return "ERROR: " + str(error)

    def _start(self, run_id):
        if self._file:
            raise ValueError("experiment running")
        path = self._path(run_id)
        try:
            os.stat(path)
        except OSError:
            self._file = open(path, "w")
            self._file.write(self.header + "\n")
            self._flush()
            self._next = time.ticks_ms()
            return "OK: Recording to " + path
        raise ValueError("this run_id has a log already")

    def _stop(self):
        if not self._file:
            raise ValueError("nothing is recording")
        self._file.close()
        self._file = None
        return "OK: Stopped"

    def _export(self, run_id, request):
        path = self._path(run_id)
        if self.device:
            self.say("DEVICE=" + self.device)
        self.say("RUN=%s REQ=%s" % (run_id, request))
        if self._file:
            raise ValueError("Cannot export while experiment running")
        size = os.stat(path)[6]
        # A computer that sends numbers reads a header with fields.
        name = " RUN=%s REQ=%s" % (run_id, request) if request != "0" else ""
        self.say("SIZE=%d%s" % (size, name))
        crc = 0
        with open(path, "rb") as file:
            while True:
                block = file.read(512)
                if not block:
                    break
                crc = binascii.crc32(block, crc)
                self._out.write(block)
        self._out.write(b"\nCRC32=%08x\n" % (crc & 0xFFFFFFFF))
        return "OK: Exported %d bytes" % size

    def _flush(self):
        # Until here the rows, and with them the file's size, are in the memory of the board.
        self._file.flush()
        if hasattr(os, "sync"):
            os.sync()
        self._flushed = time.ticks_ms()

    def _path(self, run_id):
        good = 0 < len(run_id) <= 64 and run_id[0] not in "._-" and run_id[-1] != "." and ".." not in run_id
        for letter in run_id:
            good = good and ("a" <= letter.lower() <= "z" or "0" <= letter <= "9" or letter in "._-")
        if not good:
            raise ValueError("bad run_id")
        return self.folder + "/" + run_id + ".csv"
