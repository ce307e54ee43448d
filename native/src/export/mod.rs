//! Experiments collected from devices, and kept where Serial Control and Export Protocol, PC-Side Expectations, has them.
//!
//! ```text
//!   Device::start ─► the device records to its card
//!   Device::stop  ─► it closes the file
//!   Device::fetch ─► artifacts/RUN_ID/sd/log.csv        the log, only ever whole
//!                    artifacts/RUN_ID/sd/log.csv.1      the log before, if that was another; then log.csv.2, …
//!                    artifacts/RUN_ID/sd/log.csv.suspect  a log that came whole and was refused
//!                    artifacts/RUN_ID/sd/manifest.json  what proves it
//!                    artifacts/RUN_ID/serial.log        what the device said besides
//! ```

mod device;
mod error;
mod fetch;
mod folder;
mod journal;
mod line_ends;
mod manifest;
mod options;
mod part;
mod plain;
mod save;
mod serial_log;
mod table;

pub use device::{Device, Reply};
pub use error::Error;
pub use journal::Journal;
pub use manifest::Manifest;
pub use options::{Options, Progress, Verify};
pub use plain::plain_csv;
pub use save::{Saved, Saver};
pub use table::{Column, Table};
