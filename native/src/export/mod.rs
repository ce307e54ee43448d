//! Experiments collected from devices, stored in the folders that Serial Control and Export Protocol, PC-Side
//! Expectations, defines.
//!
//! ```text
//!   Device::start ─► the device records to its card
//!   Device::stop  ─► it closes the file
//!   Device::fetch ─► artifacts/RUN_ID/sd/log.csv        the log, only ever whole
//!                    artifacts/RUN_ID/sd/log.csv.1      the log before, if that was another; then log.csv.2, …
//!                    artifacts/RUN_ID/sd/log.csv.suspect  a log that came whole and was refused
//!                    artifacts/RUN_ID/sd/manifest.json  what proves it; manifest.json.1 is that of log.csv.1
//!                    artifacts/RUN_ID/serial.log        what the device said besides
//! ```

mod device;
mod error;
mod fetch;
mod journal;
mod manifest;
mod origin;
mod place;
mod recording;
mod save;
mod story;
mod table;
mod watch;

pub use device::{Device, Reply};
pub use error::Error;
pub use fetch::options::{Options, Progress, Verify};
pub use journal::Journal;
pub use manifest::{Manifest, Received};
pub use origin::Origin;
pub use recording::{Mark, Recording, forget_recording, recording};
pub use save::runs::{Check, Log, logs};
pub use save::{Saved, Saver};
pub use story::history_of;
pub use table::plain::plain_csv;
pub use table::{Column, Table};
pub use watch::Watched;
