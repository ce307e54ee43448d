//! The native part of the Python package `flylead`.
//!
//! ```text
//!   flylead.Board ──┐                          thread of the runtime
//!                   ├── Session ── Request ──► task that owns the board
//!   flylead.aio ────┘      Job ◄── messages ──┘
//! ```
//!
//! A `session::Session` is the task of a board, and a `device::DeviceSession` that of a device that records; the
//! requests of all threads and all asyncio tasks queue there. A `zylisp::ZylispSession` has a task for each request.
//! Each request has a `job::Job`, which waits for its messages with the interpreter lock released. The public classes
//! and functions are written in Python, in `python/flylead`.

// PyO3 passes Python's arguments by value.
#![allow(clippy::needless_pass_by_value)]

mod answer;
mod board;
mod device;
mod errors;
mod job;
mod message;
mod outbox;
mod request;
mod runtime;
mod session;
mod testing;
mod turn;
mod work;
mod zylisp;

use std::path::PathBuf;

use flylead_native::deploy::{Kind, Rules, Skipped, entries};
use pyo3::{exceptions::PyOSError, prelude::*};

/// One serial port: its path, its USB vendor, product, serial number, manufacturer and name.
type Port = (
    String,
    Option<u16>,
    Option<u16>,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// Returns the serial ports of this computer.
#[pyfunction]
fn ports(py: Python<'_>) -> PyResult<Vec<Port>> {
    let ports = py.detach(flylead_native::link::ports);
    let ports = ports.map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(ports.into_iter().map(port).collect())
}

fn port(port: flylead_native::link::Port) -> Port {
    match port.usb {
        None => (port.path, None, None, None, None, None),
        Some(usb) => (
            port.path,
            Some(usb.vendor),
            Some(usb.product),
            usb.serial_number,
            usb.manufacturer,
            usb.name,
        ),
    }
}

/// Returns the entries of a folder that are sent to a board, with true for directories, by the rules of every command:
/// version control, caches, secrets and files that git ignores stay here, and no link leads out.
#[pyfunction]
fn folder_entries(py: Python<'_>, root: PathBuf) -> PyResult<Vec<(String, bool)>> {
    let read = py.detach(|| entries(&root, Rules::default(), &mut Skipped::default()));
    let sent = read?.into_iter().filter(|entry| entry.kind != Kind::Kept);
    Ok(sent
        .map(|entry| (entry.name, entry.kind == Kind::Directory))
        .collect())
}

#[pymodule]
mod _flylead {
    #[pymodule_export]
    use super::{
        device::{DeviceSession, plain_csv},
        folder_entries,
        job::Job,
        ports,
        request::Request,
        session::Session,
        testing::{Runner, TestFile},
        zylisp::ZylispSession,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
