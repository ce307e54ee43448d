//! Faults of invalid messages.

use alloc::string::String;
use core::{fmt, time::Duration};

/// Error: an invalid message arrived. The decoder has found the next possible beginning of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Id of the request, if it could be read.
    pub id: String,
    /// Fault of the message.
    pub reason: MalformedReason,
}

/// Reason why a message is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// The bytes violate the encoding.
    Syntax {
        /// Number of the message's bytes before the fault.
        offset: usize,
        /// Expected item.
        expected: &'static str,
    },
    /// The message is well-formed but invalid: a field has the wrong type.
    Shape(String),
    /// The message is longer than the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The message began, but did not end in time.
    Unfinished {
        /// Time that passed.
        after: Duration,
    },
    /// The machine has no memory left for the message.
    NoMemory,
    /// The message is a request of a web browser, which was tricked into sending HTTP to a REPL: close the connection.
    Http,
}

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { offset, expected } => {
                let place = offset + 1;
                write!(f, "malformed message at byte {place}: expected {expected}")
            }
            Self::Shape(what) => write!(f, "malformed message: {what}"),
            Self::TooLong { limit } => write!(f, "the message is longer than {limit} bytes"),
            Self::Unfinished { after } => {
                let seconds = after.as_secs_f32();
                write!(f, "the message did not end within {seconds} s")
            }
            Self::NoMemory => f.write_str(
                "the server is out of memory for a message of this length; try again later",
            ),
            Self::Http => f.write_str("this server is a REPL and does not speak HTTP"),
        }
    }
}
