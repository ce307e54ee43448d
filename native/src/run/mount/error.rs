//! Reasons why a folder is not mounted.

use std::fmt;

use flylead_core::mount::Failure;

/// Reason why a folder is not mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MountError {
    /// The board cannot mount the folder, or refuses.
    Failed(Failure),
    /// The link carries only text.
    TextOnly,
    /// The link closed.
    Closed,
}

impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => failure.fmt(f),
            Self::TextOnly => f.write_str(
                "this link carries only text, as WebREPL does; mount folders over a serial port or TCP",
            ),
            Self::Closed => f.write_str("the board is gone: the connection closed"),
        }
    }
}

impl std::error::Error for MountError {}
