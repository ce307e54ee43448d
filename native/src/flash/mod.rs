//! Firmware for boards: identifies files, finds the drive or chip for them, and writes them.
//!
//! ```text
//!   Shelf ──► Firmware: what it is ─┐
//!                                   ├──► Drive::check ──► drive::write ──► Ended
//!   Drive::find ──► which board ────┘
//!
//!   Firmware for an ESP ──► write_esp: its boot ROM says which chip it is
//!   Firmware for an STM32 ──► write_dfu: its boot ROM describes the flash
//! ```
//!
//! Flylead writes only to drives that name their board, and only firmware that the board will not ignore.

mod dfu;
mod drive;
mod error;
mod esp;
mod firmware;
mod fit;
mod hex;
mod microbit;
mod saved;
mod shelf;

#[cfg(feature = "dfu")]
pub use dfu::{DfuDevice, DfuError, write_dfu};
pub use dfu::{DfuFile, DfuPart};
pub use drive::copy::{Ended, write};
pub use drive::wait::{NoDrive, Plug};
pub use drive::{Drive, Kind, Presence};
pub use error::{Mismatch, WriteError};
pub use esp::{BadImage, EspChip, EspImage};
#[cfg(feature = "esp")]
pub use esp::{EspError, EspWrite, Started, esp_board, write_esp};
pub use firmware::{FIRMWARE_LIMIT, Firmware, Format, NotFirmware};
pub use hex::Hex;
pub use saved::{Origin, SavedFlash, SavedFlashes};
pub use shelf::catalogue::{Catalogue, Entry, NotListed};
pub use shelf::{MAKERS, Shelf, ShelfError};
