"""A device on a pseudo-terminal, written from the protocol's document. Prints the port's name, then plays."""

import os
import sys
import time
import tty
import zlib

ROWS = 2000
LOG = b"time,value\n" + b"".join(b"%d,%d\n" % (i, i * i % 977) for i in range(ROWS))


# So long that its sending takes a second and a half at the pace below.
SLOW = b"0123456789abcde\n" * 4096


def answer(line):
    if line.startswith(b"START run_id="):
        return b"OK: Recording\r\n"
    if line == b"STOP":
        return b"OK: Stopped\r\n"
    if line == b"EXPORT run_id=missing":
        return b"ERROR: Log file not found\r\n"
    if line == b"EXPORT run_id=silent":
        return b"SIZE=1000000\nonly this"
    if line == b"EXPORT run_id=plain":
        return b"SIZE=%d\n%s\nOK: Exported\r\n" % (len(LOG), LOG)
    if line == b"EXPORT run_id=slow":
        return b"SIZE=%d\n%s\nCRC32=%08x\nOK: Exported\r\n" % (len(SLOW), SLOW, zlib.crc32(SLOW))
    if line.startswith(b"EXPORT run_id="):
        return b"SIZE=%d\n%s\nCRC32=%08x\nOK: Exported\r\n" % (len(LOG), LOG, zlib.crc32(LOG))
    return b"ERROR: unknown command\r\n"


def main():
    master, slave = os.openpty()
    tty.setraw(slave)
    print(os.ttyname(slave), flush=True)
    line = b""
    while True:
        byte = os.read(master, 1)
        if byte == b"\n":
            reply = answer(line.rstrip(b"\r"))
            slow = len(reply) > len(SLOW)
            while reply:
                reply = reply[os.write(master, reply[:512]):]
                if slow:
                    time.sleep(0.012)
            line = b""
        else:
            line += byte


if __name__ == "__main__":
    sys.exit(main())
