//! Writing to ESP chips by the protocol of their boot ROM.

#[cfg(feature = "esp")]
mod write;

pub use flylead_core::esp::{Chip as EspChip, Error as BadImage, Image as EspImage};
#[cfg(feature = "esp")]
pub use write::{EspError, Started, esp_chip, write_esp};
