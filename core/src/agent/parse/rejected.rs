//! Explains why a whole message is refused.

use core::fmt;

use super::{BODY_LIMIT, COMMAND_LIMIT, LINE_LIMIT, MESSAGE_LIMIT};

/// Reason why a whole message is refused. Nothing of it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rejected {
    /// Longer than [`MESSAGE_LIMIT`].
    TooLong {
        /// Length in bytes.
        bytes: usize,
    },
    /// A line longer than [`LINE_LIMIT`].
    LineTooLong {
        /// Line number, from 1.
        line: usize,
    },
    /// A body longer than [`BODY_LIMIT`].
    BodyTooLong {
        /// The line of its opening tag.
        line: usize,
    },
    /// More than [`COMMAND_LIMIT`] commands and errors.
    TooManyCommands,
    /// Not UTF-8, nor UTF-16 with a byte order mark.
    NotText {
        /// First byte that is not part of a character.
        offset: usize,
    },
    /// `<think>` is never closed, so what follows may be a draft.
    UnclosedThought {
        /// Line, from 1.
        line: usize,
    },
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => write!(
                f,
                "the message has {bytes} bytes; the limit is {}",
                MESSAGE_LIMIT
            ),
            Self::LineTooLong { line } => {
                write!(f, "line {line} is longer than {} bytes", LINE_LIMIT)
            }
            Self::BodyTooLong { line } => {
                write!(
                    f,
                    "the body of the command on line {line} is longer than {} bytes",
                    BODY_LIMIT
                )
            }
            Self::TooManyCommands => {
                write!(
                    f,
                    "the message contains more than {} commands",
                    COMMAND_LIMIT
                )
            }
            Self::NotText { offset } => write!(
                f,
                "the message is not UTF-8 text (byte {offset}); save it as UTF-8"
            ),
            Self::UnclosedThought { line } => {
                write!(
                    f,
                    "<think> on line {line} is never closed; copy the whole reply, or only what follows the thoughts"
                )
            }
        }
    }
}

impl core::error::Error for Rejected {}
