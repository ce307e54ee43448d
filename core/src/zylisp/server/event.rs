//! Events that only a driver can handle for a connection, and reasons to end a connection.

use alloc::{boxed::Box, string::String};
use core::fmt;

/// Task for the driver of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// Read this file, and pass it to [`loaded`](super::Server::loaded).
    Load(Box<Load>),
    /// Interrupt the evaluation of another connection's session, and report the result to
    /// [`interrupted`](super::Server::interrupted).
    InterruptElsewhere(Box<InterruptElsewhere>),
    /// Close the connection, after pending output was sent. Nothing is running any more.
    Ended {
        /// Fault of the client, if any.
        reason: Option<ServerLost>,
    },
}

/// A file that a client requests to evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// Session that receives the file.
    pub session: String,
    /// Path, as given by the client.
    pub path: String,
}

/// An interrupt of an evaluation on another connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InterruptElsewhere {
    /// Id of the request, to pass back.
    pub id: String,
    /// The other session.
    pub session: String,
    /// Evaluation in that session; defaults to the running one.
    pub target: Option<String>,
}

/// Reason why a server ends a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerLost {
    /// A web browser was tricked into connecting.
    Http,
    /// The client presented no token in time, or a wrong one.
    Unauthorized,
    /// The client sent too many malformed messages in a row.
    Garbage,
    /// A message began but did not end in time.
    Unfinished,
}

impl fmt::Display for ServerLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "a web browser connected to it",
            Self::Unauthorized => "the client did not present the token",
            Self::Garbage => "the client sends only invalid messages",
            Self::Unfinished => "the client did not finish a message",
        })
    }
}

impl core::error::Error for ServerLost {}
