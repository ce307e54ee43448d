//! Flylead's protocols wired to serial ports, sockets, processes and terminals.
