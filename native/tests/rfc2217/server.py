"""pyserial's own RFC 2217 server for one serial port: prints its TCP port, serves until standard input ends."""

import os
import socket
import sys
import threading

import serial
import serial.rfc2217


class Pty(serial.Serial):
    """A pseudo-terminal has no modem's lines to read or set (TIOCMGET fails on it)."""

    cts = dsr = ri = cd = False

    def _update_dtr_state(self):
        pass

    _update_rts_state = _update_break_state = _update_dtr_state


class Writer:
    """What PortManager wants: escaped bytes to the client, in order."""

    def __init__(self, connection):
        self.connection = connection
        self.lock = threading.Lock()

    def write(self, data):
        with self.lock:
            self.connection.sendall(data)


def to_client(port, manager, writer, is_over):
    while not is_over.is_set():
        data = port.read(port.in_waiting or 1)
        if data:
            try:
                writer.write(b"".join(manager.escape(data)))
            except OSError:
                return


def serve(connection, port):
    writer = Writer(connection)
    manager = serial.rfc2217.PortManager(port, writer)
    is_over = threading.Event()
    reader = threading.Thread(target=to_client, args=(port, manager, writer, is_over))
    reader.start()
    try:
        while data := connection.recv(4096):
            port.write(b"".join(manager.filter(data)))
    except OSError:
        pass
    finally:
        is_over.set()
        reader.join()
        connection.close()


def main():
    port = Pty(sys.argv[1], 115200, timeout=0.05)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        serve(connection, port)


main()
