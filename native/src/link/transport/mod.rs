//! The kinds of links: serial ports, sockets, processes, WebSockets and hubs.

mod buffers;
pub(crate) mod controls;
pub(crate) mod hub;
#[cfg(unix)]
pub(crate) mod process;
pub(crate) mod rfc2217;
#[cfg(unix)]
pub(crate) mod serial;
#[cfg(windows)]
#[path = "serial_windows.rs"]
pub(crate) mod serial;
pub(crate) mod socket;
#[cfg(unix)]
mod tty;
pub(crate) mod websocket;
