//! Real boards for the tests, each alive as long as its guard is.
//!
//! ```text
//! client ──► pty ──► [Wire: throttle, delay, flip, stall, unplug] ──► pty ──► MicroPython
//! ```

mod files;
mod flash;
mod interpreters;
mod line;
mod process;
mod recorder;
mod session;
mod stranger;
mod usb;

pub use files::Files;
pub use flash::boot_drive::{BootChip, BootDrive};
pub use flash::esp::{ESP_FLASH, EspKind, EspRom, esp_image, esp_program};
pub use flash::firmware::Firmware;
pub use interpreters::browser::BrowserBoard;
pub use interpreters::kind::{AnyBoard, Kind, is_whole};
pub use interpreters::microbit::Microbit;
pub use interpreters::pico::Pico;
pub use interpreters::unix::UnixBoard;
pub use line::wire::{Blow, Faults, Strike, Wire};
pub use process::setup::{command, labgrid_venv, venv};
pub use process::view::with_folders;
pub use recorder::{Line, Recorder, crc32, exported};
pub use session::Session;
pub use stranger::Stranger;
pub use usb::UsbPort;
