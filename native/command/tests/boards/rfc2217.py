"""pyserial's own RFC 2217 server for one serial port: prints its TCP port, serves until standard input ends.

With a second argument, it writes into the file of this name how the line is set.
"""

import os
import socket
import sys
import threading

import serial
import serial.rfc2217


class Pty(serial.Serial):
    """A pseudo-terminal has no modem's lines to read or set (TIOCMGET fails on it)."""

    cts = dsr = ri = cd = False

    def _note(self, what, state):
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a") as file:
                print(what, int(state), file=file)

    def _update_dtr_state(self):
        self._note("DTR", self._dtr_state)

    def _update_rts_state(self):
        self._note("RTS", self._rts_state)

    def _update_break_state(self):
        self._note("break", self._break_state)

    def _reconfigure_port(self, force_update=False):
        super()._reconfigure_port(force_update)
        self._note("baud", self._baudrate)


class Writer:
    """Writer for PortManager: sends escaped bytes to the client, in order."""

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
