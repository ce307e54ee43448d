//! Real boards for the tests, each alive as long as its guard is.
//!
//! ```text
//! client ──► pty ──► [Wire: throttle, delay, flip, stall, unplug] ──► pty ──► MicroPython
//! ```

mod boot_drive;
mod browser;
mod esp;
mod files;
mod firmware;
mod kind;
mod lane;
mod leash;
mod leaving;
mod microbit;
mod pico;
mod processor;
mod recorder;
mod relay;
mod sampling;
mod session;
mod setup;
mod stranger;
mod tty;
mod unix;
mod usb;
mod view;
mod wire;
mod worker;

pub use boot_drive::{BootChip, BootDrive};
pub use browser::BrowserBoard;
pub use esp::{ESP_FLASH, EspKind, EspRom, esp_image, esp_program};
pub use files::Files;
pub use firmware::Firmware;
pub use kind::{AnyBoard, Kind, is_whole};
pub use microbit::Microbit;
pub use pico::Pico;
pub use recorder::{Line, Recorder, crc32, exported};
pub use session::Session;
pub use setup::{command, labgrid_venv, venv};
pub use stranger::Stranger;
pub use unix::UnixBoard;
pub use usb::UsbPort;
pub use view::with_folders;
pub use wire::{Blow, Faults, Strike, Wire};
