//! Options and progress of fetching a log.

use std::{path::PathBuf, time::Duration};

use flylead_core::export::{Doubt, Failure};

/// Options for fetching a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The folder of all runs.
    pub artifacts: PathBuf,
    /// Number of retries after a fault on the way.
    pub retries: u32,
    /// Verification of a log without the device's checksum.
    pub verify: Verify,
    /// True to convert `\r\n` to `\n` in a log between `BEGIN` and `END`. One with a size stays as
    /// it is.
    pub normalize_eol: bool,
    /// Doubts that are accepted, beside those of the device's own configuration.
    pub accept: Vec<Doubt>,
    /// Longest time to wait for a device that was unplugged.
    pub return_within: Duration,
    /// Bytes of the disk that must stay free; a log that would take them is refused at its header.
    pub keep_free: u64,
}

/// Verification of a log that has no checksum of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verify {
    /// Its length is looked at, and what follows it. Changed bytes pass.
    #[default]
    Once,
    /// It is asked for twice, and compared. It takes twice as long.
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
    /// Asked, for the first time or again after this failure.
    Asked {
        /// Reason for the retry.
        after: Option<Failure>,
    },
    /// The header came.
    Begun {
        /// Announced size in bytes, if any.
        announced: Option<u64>,
    },
    /// The log is here, and is asked for once more to compare.
    AskedTwice,
    /// Bytes of the body that have come so far.
    Received {
        /// Number of bytes.
        bytes: u64,
    },
    /// The device restarted.
    Reset,
}
