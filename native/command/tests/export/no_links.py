"""Runs a command for which every link() and linkat() fails with EPERM, as on a file system without hard links."""

import ctypes
import errno
import os
import platform
import struct
import sys

# linux/filter.h and linux/seccomp.h: load the number of the system call, compare, refuse, allow.
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
LINKS = {"x86_64": [86, 265], "aarch64": [37]}[platform.machine()]
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2


def instruction(code, value, then=0, otherwise=0):
    return struct.pack("HBBI", code, then, otherwise, value)


program = [instruction(LOAD, 0)]
for number in LINKS:
    program += [instruction(EQUAL, number, 0, 1), instruction(RETURN, REFUSE)]
program.append(instruction(RETURN, ALLOW))
code = ctypes.create_string_buffer(b"".join(program))
argument = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
prctl = ctypes.CDLL(None, use_errno=True).prctl
assert prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())
assert prctl(PR_SET_SECCOMP, FILTER, ctypes.create_string_buffer(argument), 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(sys.argv[1], sys.argv[1:])
