"""Tells every libudev monitor of this network namespace that a USB serial board has come or gone, as the kernel's udev does.

usage: plug.py add|remove NAME DEVICE VENDOR PRODUCT SERIAL
       plug.py loopback, which makes 127.0.0.1 work in a namespace that is new

The message is libudev's own format: a header with hashes to filter by, then the device's properties.
"""

import fcntl
import socket
import struct
import sys

KOBJECT_UEVENT = 15  # the netlink family of devices that come and go
GROUP = 2  # udev's own, as against the kernel's
SET_FLAGS = 0x8914  # SIOCSIFFLAGS
UP, RUNNING = 0x1, 0x40
MULTIPLIER = 0x5BD1E995
WORD = 0xFFFFFFFF


def murmur(data):
    """MurmurHash2, by which monitors filter for a subsystem."""
    digest = len(data)
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        word = word * MULTIPLIER & WORD
        word = (word ^ word >> 24) * MULTIPLIER & WORD
        digest = (digest * MULTIPLIER & WORD) ^ word
    rest = data[whole:]
    if rest:
        digest = (digest ^ int.from_bytes(rest, "little")) * MULTIPLIER & WORD
    digest = (digest ^ digest >> 13) * MULTIPLIER & WORD
    return digest ^ digest >> 15


def message(action, name, device, vendor, product, serial):
    properties = {
        "ACTION": action,
        "DEVPATH": f"/devices/virtual/tty/{name}",
        "SUBSYSTEM": "tty",
        "SEQNUM": "1",
        "DEVNAME": device,
        "MAJOR": "4",
        "MINOR": "64",
        "ID_BUS": "usb",
        "ID_VENDOR_ID": vendor,
        "ID_MODEL_ID": product,
        "ID_MODEL": "Board",
        "ID_MODEL_ENC": "Board",
        "ID_SERIAL_SHORT": serial,
        "ID_USB_DRIVER": "cdc_acm",
        "USEC_INITIALIZED": "1",
    }
    body = b"".join(f"{key}={value}".encode() + b"\0" for key, value in properties.items())
    header = b"libudev\0" + struct.pack(">I", 0xFEEDCAFE) + struct.pack("=III", 40, 40, len(body))
    return header + struct.pack(">IIII", murmur(b"tty"), 0, 0, 0) + body


def tell():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, KOBJECT_UEVENT) as monitor:
        monitor.bind((0, 0))
        monitor.sendto(message(*sys.argv[1:]), (0, GROUP))


def loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH22x", b"lo", UP | RUNNING))


if sys.argv[1:] == ["loopback"]:
    loopback()
else:
    tell()
