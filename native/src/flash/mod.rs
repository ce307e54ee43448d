//! Firmware for boards: identifies files, finds the drive or chip for them, and writes them.
//!
//! ```text
//!   Shelf ──► Firmware: what it is ─┐
//!                                   ├──► Drive::check ──► drive::write ──► Ended
//!   Drive::find ──► which board ────┘
//!
//!   Firmware for an ESP ──► write_esp: its boot ROM says which chip it is
//! ```
//!
//! Flylead writes only to drives that name their board, and only firmware that the board would not ignore.

mod drive;
mod error;
mod esp;
mod firmware;
mod fit;
mod hex;
mod microbit;
mod shelf;

pub use drive::copy::{Ended, write};
pub use drive::wait::{NoDrive, Plug};
pub use drive::{Drive, Kind, Presence};
pub use error::{Mismatch, WriteError};
pub use esp::{BadImage, EspChip, EspImage};
#[cfg(feature = "esp")]
pub use esp::{EspError, Started, esp_chip, write_esp};
pub use firmware::{FIRMWARE_LIMIT, Firmware, Format, NotFirmware};
pub use hex::Hex;
pub use shelf::catalogue::{Catalogue, Entry, NotListed};
pub use shelf::{MAKERS, Shelf, ShelfError};
