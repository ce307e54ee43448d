//! Events of a mounted folder, and reasons why none is mounted.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::question::Question;
use crate::raw_repl::{LostReason, Traceback};

/// Identifies a question until it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub(super) u32);

/// Event for the application.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Output of the board for other clients.
    Output(Vec<u8>),
    /// A program on the board requests an operation on the folder.
    Asked(QuestionId, Question),
    /// The folder is mounted: after [`Mount::mount`](super::Mount::mount), or because the board had restarted.
    Mounted,
    /// The folder is no longer mounted.
    Unmounted,
    /// The folder could not be mounted.
    Failed(Failure),
    /// The link is closed.
    Closed,
}

/// Reason why a folder is not mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The board does not support mounting file systems.
    NoFileSystems,
    /// The board cannot wait for binary data, or lacks `binascii.crc32`.
    NoBinaryData,
    /// Another file system is mounted at this path.
    Occupied {
        /// Path.
        at: String,
    },
    /// The board raised an exception.
    Raised(Traceback),
    /// The board restarted in the meantime.
    Restarted,
    /// The board does not answer.
    Lost(LostReason),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFileSystems => f.write_str(
                "this board's MicroPython has no file systems to mount (vfs.mount); copy the files to it",
            ),
            Self::NoBinaryData => f.write_str(
                "this board's MicroPython cannot wait for binary data (sys.stdin.buffer, select.poll and binascii.crc32); copy the files to it",
            ),
            Self::Occupied { at } => write!(
                f,
                "another file system is mounted at {at} on the board; mount the folder at another path"
            ),
            Self::Raised(traceback) => {
                write!(f, "the board could not mount the folder: {}", traceback.text.trim_end())
            }
            Self::Restarted => f.write_str("the board restarted while the folder was being mounted; try again"),
            Self::Lost(reason) => reason.fmt(f),
        }
    }
}
