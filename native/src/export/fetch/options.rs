//! Options and progress of fetching a log.

use std::{path::PathBuf, time::Duration};

use flylead_core::export::{Doubt, Failure};

/// Options for fetching a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The folder of all runs.
    pub artifacts: PathBuf,
    /// Number of retries after a transmission fault.
    pub retries: u32,
    /// Verification of a log without the device's checksum.
    pub verify: Verify,
    /// True to convert `\r\n` to `\n` in a log between `BEGIN` and `END`. A log with a size stays as it is.
    pub normalize_eol: bool,
    /// Accepted doubts, in addition to those of the device's own configuration.
    pub accept: Vec<Doubt>,
    /// Longest time to wait for a device that was unplugged.
    pub return_within: Duration,
    /// Bytes of the disk that must stay free; a log that would use them is refused at its header.
    pub keep_free: u64,
}

/// Verification of a log that has no checksum of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// Checks the log's length and the data after it. Changed bytes go unnoticed.
    #[default]
    Once,
    /// Requests the log twice, and compares. This takes twice as long.
    Twice,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            artifacts: "artifacts".into(),
            retries: 1,
            verify: Verify::Once,
            normalize_eol: false,
            accept: Vec::new(),
            return_within: Duration::from_secs(30),
            keep_free: 64 * 1024,
        }
    }
}

/// Progress of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The log was requested, for the first time or again after this failure.
    Asked {
        /// Reason for the retry.
        after: Option<Failure>,
    },
    /// The header has arrived.
    Begun {
        /// Announced size in bytes, if any.
        announced: Option<u64>,
    },
    /// The log has arrived, and is requested once more for comparison.
    AskedTwice,
    /// A part of the body has arrived.
    Received {
        /// Number of bytes of the body so far.
        bytes: u64,
    },
    /// The device restarted.
    Reset,
}
