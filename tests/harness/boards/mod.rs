//! Real boards for the tests, each alive as long as its guard is.
//!
//! ```text
//! client ──► pty ──► [Wire: throttle, flip, stall, unplug] ──► pty ──► MicroPython
//! ```

mod leash;
mod microbit;
mod session;
mod setup;
mod tty;
mod unix;
mod wire;

pub use microbit::Microbit;
pub use session::Session;
pub use setup::{command, venv};
pub use unix::UnixBoard;
pub use wire::{Faults, Wire};
