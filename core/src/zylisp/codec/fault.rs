//! Faults of invalid messages.

use alloc::string::String;
use core::{fmt, time::Duration};

/// An invalid message arrived. The decoder has found its way back to where the next one can begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The id of the request, if that much could be read.
    pub id: String,
    /// Fault of the message.
    pub reason: MalformedReason,
}

/// Reason why a message is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// It is not the encoding.
    Syntax {
        /// Number of preceding bytes of the message.
        offset: usize,
        /// Expected item.
        expected: &'static str,
    },
    /// It is well written, but no message: a field has the wrong type.
    Shape(String),
    /// It is longer than the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// It began, and did not end in time.
    Unfinished {
        /// Time that passed.
        after: Duration,
    },
    /// The machine has no memory left for it.
    NoMemory,
    /// It is a web browser's request. Whoever speaks HTTP to a REPL was tricked into it: close the connection.
    Http,
}

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { offset, expected } => {
                let place = offset + 1;
                write!(
                    f,
                    "malformed message: at byte {place} of it, {expected} was expected"
                )
            }
            Self::Shape(what) => write!(f, "malformed message: {what}"),
            Self::TooLong { limit } => write!(f, "the message is longer than {limit} bytes"),
            Self::Unfinished { after } => {
                let seconds = after.as_secs_f32();
                write!(f, "the message did not end within {seconds} s")
            }
            Self::NoMemory => {
                f.write_str("the server has no memory left for a message of this length; try later")
            }
            Self::Http => f.write_str("this is a REPL, which does not speak HTTP"),
        }
    }
}
