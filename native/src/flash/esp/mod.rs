//! Writing to ESP chips by the protocol of their boot ROM.

#[cfg(feature = "esp")]
mod before;
#[cfg(feature = "esp")]
mod connection;
#[cfg(feature = "esp")]
mod error;
#[cfg(feature = "esp")]
mod write;

#[cfg(feature = "esp")]
pub use error::EspError;
pub use flylead_core::esp::{Chip as EspChip, Error as BadImage, Image as EspImage};
#[cfg(feature = "esp")]
pub use write::{EspWrite, Started, esp_board, write_esp};
