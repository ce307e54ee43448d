//! What the application has to do for a client, and why a client is given up.

use alloc::string::String;
use core::fmt;

/// What the application has to do for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// Evaluate this, and [`finish`](super::ZylispServer::finish).
    Eval {
        /// The source.
        code: String,
    },
    /// Read this file, evaluate it, and [`finish`](super::ZylispServer::finish).
    Load {
        /// The path, as the client gave it.
        path: String,
    },
    /// Interrupt what runs, and [`finish`](super::ZylispServer::finish) it.
    Interrupt,
    /// Interrupt what another session runs, and say with
    /// [`interrupted`](super::ZylispServer::interrupted) whether it did.
    InterruptElsewhere {
        /// The id of the request, to be given back.
        id: String,
        /// The other session.
        session: String,
        /// The evaluation there; without it, the one that runs.
        target: Option<String>,
    },
    /// The client will send nothing more. What it has sent is still answered.
    Closed,
    /// The connection is to be closed, after what is still to be sent.
    Lost {
        /// Why.
        reason: ServerLost,
    },
}

/// Why a server gives up a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerLost {
    /// A web browser was tricked into talking to it.
    Http,
    /// No token in time, or a wrong one.
    Unauthorized,
    /// Too many malformed messages in a row.
    Garbage,
    /// A message that began and did not end in time.
    Unfinished,
}

impl fmt::Display for ServerLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "a web browser talked to it",
            Self::Unauthorized => "the client did not show the token",
            Self::Garbage => "the client sends nothing that can be read",
            Self::Unfinished => "the client began a message and did not end it",
        })
    }
}

impl core::error::Error for ServerLost {}
