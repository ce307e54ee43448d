//! Logs collected from a device, as JavaScript objects.
//!
//! ```text
//!   Recorder ── fetch() ──► Fetch ──► await: the log and its receipt
//!      │                      └─────► for await: what happens until then
//!      └── chatter: everything the device says besides
//! ```

mod feed;
mod fetch;
mod logbook;
mod objects;
mod recorder;

pub use fetch::Fetch;
pub use recorder::Recorder;
