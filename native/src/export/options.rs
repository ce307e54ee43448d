//! How a log is fetched, and how far that is.

use std::path::PathBuf;

use flylead_core::export::{Doubt, Failure};

/// How to fetch a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The folder of all runs.
    pub artifacts: PathBuf,
    /// How often to ask again after a fault on the way.
    pub retries: u32,
    /// Whether a log without the device's checksum is asked for twice.
    pub verify: Verify,
    /// Whether `\r\n` becomes `\n` in a log that came between `BEGIN` and `END`. One with a size stays as it is.
    pub normalize_eol: bool,
    /// Which doubts do not refuse a log, beside those of the device's own configuration.
    pub accept: Vec<Doubt>,
    /// Bytes of the disk that must stay free; a log that would take them is refused at its header.
    pub keep_free: u64,
}

/// How much is done for a log that comes without the device's checksum.
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
            keep_free: 64 * 1024,
        }
    }
}

/// How far an export is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Asked, for the first time or again after this failure.
    Asked {
        /// Why it is asked again.
        after: Option<Failure>,
    },
    /// The header came.
    Begun {
        /// How many bytes it announces, if it does.
        announced: Option<u64>,
    },
    /// The log is here, and is asked for once more to compare.
    AskedTwice,
    /// Bytes of the body that have come so far.
    Received {
        /// How many.
        bytes: u64,
    },
    /// The device started anew.
    Reset,
}
