//! ESP chips: their images, and writing them by the protocol of their boot ROM.

mod image;
#[cfg(feature = "esp")]
mod write;

pub use image::{BadImage, EspChip, EspImage};
#[cfg(feature = "esp")]
pub use write::{EspError, Started, esp_chip, write_esp};
