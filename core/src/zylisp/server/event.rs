//! Events that only a driver can handle for a connection, and reasons to give up a connection.

use alloc::{boxed::Box, string::String};
use core::fmt;

/// Task for the driver of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// Read this file, and give it to [`loaded`](super::Server::loaded).
    Load(Box<Load>),
    /// Interrupt what another connection's session runs, and say so to [`interrupted`](super::Server::interrupted).
    InterruptElsewhere(Box<InterruptElsewhere>),
    /// Close the connection, after what is still to be sent. Nothing runs any more.
    Ended {
        /// The client's fault, if it was one.
        reason: Option<ServerLost>,
    },
}

/// A file that a client wants to be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// Session to return it to.
    pub session: String,
    /// The path, as the client gave it.
    pub path: String,
}

/// An interrupt of what is on another connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InterruptElsewhere {
    /// The id of the request, to be given back.
    pub id: String,
    /// The other session.
    pub session: String,
    /// The evaluation there; without it, the one that runs.
    pub target: Option<String>,
}

/// Reason why a server gives up a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
