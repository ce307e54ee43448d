//! Experiments collected from devices, and kept.
//!
//! ```text
//!   Device::start ─► the device records to its card
//!   Device::stop  ─► it closes the file
//!   Device::fetch ─► artifacts/RUN_ID/sd/log.csv        the log, only ever whole
//!                    artifacts/RUN_ID/sd/log.csv.1      the log before, if that was another
//!                    artifacts/RUN_ID/sd/manifest.json  what proves it
//!                    artifacts/RUN_ID/serial.log        what the device said besides
//! ```

mod device;
mod line_ends;
mod manifest;
mod part;
mod save;
mod serial_log;

pub use device::{Device, Error, Options, Progress, Reply, Verify};
pub use manifest::Manifest;
pub use save::{Saved, Saver};
