//! Real boards for the tests, each alive as long as its guard is.
//!
//! ```text
//! client ──► pty ──► [Wire: throttle, flip, stall, unplug] ──► pty ──► MicroPython
//! ```

mod browser;
mod files;
mod leash;
mod microbit;
mod pico;
mod processor;
mod recorder;
mod relay;
mod session;
mod setup;
mod tty;
mod unix;
mod wire;

pub use browser::BrowserBoard;
pub use files::Files;
pub use microbit::Microbit;
pub use pico::{FIRMWARE, Firmware, Pico};
pub use recorder::{Line, Recorder, crc32, exported};
pub use session::Session;
pub use setup::{command, labgrid_venv, venv};
pub use unix::UnixBoard;
pub use wire::{Blow, Faults, Strike, Wire};
