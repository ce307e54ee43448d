# A device for `flylead export`, in MicroPython. Copy it onto a board as main.py, and put your sensor into sample().
#
#   START run_id=NAME    records a row every PERIOD_MS until STOP
#   STOP                 closes the file
#   EXPORT run_id=NAME   sends the file: RUN=NAME REQ=n, SIZE=n, its bytes, CRC32=x; a question may end in " req=n"
#
# Rows are on the card after a second at the latest: a power cut costs no more than that.
#
# While it records it says how far it is: LIVE rows: n, and the newest values by their names.
#
# It needs no library, and writes to FOLDER, which is where the SD card is mounted.

import binascii
import os
import select
import sys
import time

DEVICE = "sd_logger 3"  # what it is; every log's manifest has it
FOLDER = "."  # "/sd" once a card is mounted there
PERIOD_MS = 10
LIVE_MS = 1000  # how often it says how far it is
FLUSH_MS = 1000  # how often the rows are written to the card; a power cut loses those since
LONGEST_LINE = 100


def sample():
    """One row, as text without a line end: replace this with your sensor."""
    ms = time.ticks_ms()
    return "%d,%d" % (ms, (ms * 37) % 1009)


HEADER = "ms,value\n"
NAMES = HEADER.strip().split(",")


def send(data):
    # The buffer, because stdout itself turns each \n into \r\n, and the size would be wrong.
    sys.stdout.buffer.write(data)


def say(text):
    send(text.encode() + b"\n")


def path_of(run_id):
    good = 0 < len(run_id) <= 64 and run_id[0] not in "._-" and run_id[-1] != "." and ".." not in run_id
    for letter in run_id:
        good = good and ("a" <= letter.lower() <= "z" or "0" <= letter <= "9" or letter in "._-")
    if not good:
        raise ValueError("bad run_id")
    return FOLDER + "/" + run_id + ".csv"


def flush(file):
    # Until here the rows, and with them the file's size, are in the memory of the board.
    file.flush()
    if hasattr(os, "sync"):
        os.sync()


class Logger:
    def __init__(self):
        self.file = None
        self.next = 0
        self.rows = 0
        self.told = 0
        self.flushed = 0

    def start(self, run_id):
        if self.file:
            raise ValueError("experiment running")
        path = path_of(run_id)
        try:
            os.stat(path)
        except OSError:
            self.file = open(path, "w")
            self.file.write(HEADER)
            flush(self.file)
            self.next = self.told = self.flushed = time.ticks_ms()
            self.rows = 0
            return "OK: Recording to " + path
        raise ValueError("this run_id has a log already")

    def stop(self):
        if not self.file:
            raise ValueError("nothing is recording")
        self.file.close()
        self.file = None
        return "OK: Stopped"

    def record(self):
        if self.file and time.ticks_diff(time.ticks_ms(), self.next) >= 0:
            row = sample()
            try:
                self.file.write(row + "\n")
                self.rows += 1
                self.save()
                self.tell(row)
            except OSError:
                # `flylead export run` reads this line and ends the recording.
                self.file = None
                say("ERROR: SD write failed")
            self.next = time.ticks_add(self.next, PERIOD_MS)

    def save(self):
        if time.ticks_diff(time.ticks_ms(), self.flushed) >= FLUSH_MS:
            flush(self.file)
            self.flushed = time.ticks_ms()

    def tell(self, row):
        if time.ticks_diff(time.ticks_ms(), self.told) >= LIVE_MS:
            self.told = time.ticks_ms()
            values = ["%s: %s" % pair for pair in zip(NAMES, row.split(","))]
            say("LIVE rows: %d, %s" % (self.rows, ", ".join(values)))

    def export(self, run_id, request):
        path = path_of(run_id)
        say("DEVICE=" + DEVICE)
        # An answer that comes when nobody waits any more is not taken for another question's.
        say("RUN=%s REQ=%s" % (run_id, request))
        if self.file:
            raise ValueError("Cannot export while experiment running")
        size = os.stat(path)[6]
        say("SIZE=%d" % size)
        crc = 0
        with open(path, "rb") as file:
            while True:
                block = file.read(512)
                if not block:
                    break
                crc = binascii.crc32(block, crc)
                send(block)
        send(b"\nCRC32=%08x\n" % (crc & 0xFFFFFFFF))
        return "OK: Exported %d bytes" % size

    def obey(self, line):
        try:
            if line == "STOP":
                return self.stop()
            verb, _, run_id = line.partition(" run_id=")
            if verb == "START":
                return self.start(run_id)
            if verb == "EXPORT":
                run_id, _, request = run_id.partition(" req=")
                return self.export(run_id, request if request.isdigit() else "0")
            return "ERROR: unknown command"
        except OSError:
            return "ERROR: Log file not found, or the card is full"
        except ValueError as error:
            return "ERROR: " + str(error)


def main():
    logger = Logger()
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    line = ""
    say("OK: sd_logger is ready")
    while True:
        logger.record()
        if not poll.poll(1):
            continue
        letter = sys.stdin.read(1)
        if letter in "\r\n":
            if line:
                say(logger.obey(line))
            line = ""
        elif len(line) < LONGEST_LINE:
            line += letter


main()
