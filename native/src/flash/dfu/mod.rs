//! Reads files for STM32 chips in their DFU mode, and writes them.

#[cfg(feature = "dfu")]
mod device;
#[cfg(feature = "dfu")]
mod error;
mod file;
#[cfg(feature = "dfu")]
mod layout;
#[cfg(all(feature = "dfu", test))]
mod mock;
#[cfg(feature = "dfu")]
mod write;

#[cfg(feature = "dfu")]
pub use device::{DfuDevice, write_dfu};
#[cfg(feature = "dfu")]
pub use error::DfuError;
pub use file::{DfuFile, DfuPart};
