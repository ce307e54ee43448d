"""Bytes and bytearrays."""


def test_bytes():
    assert b"\x01\x02" == b"\x01\x03"


def test_item():
    frame = b"\x10\x20"
    assert frame[1] == 0x21


def test_array():
    buffer = bytearray(2)
    buffer[0] = 65
    assert buffer == b"A\x00"
