//! Why there is no reply.

use std::{fmt, io};

use flylead_core::zylisp::{Address, MalformedReason};

/// Why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// Nothing answers at that address.
    Connect {
        /// The address.
        address: Address,
        /// Why.
        error: io::Error,
    },
    /// The server refused the token, or wants one.
    Unauthorized {
        /// In its own words.
        why: String,
    },
    /// The server takes the connection, and says nothing.
    Silent,
    /// The connection ended before the reply. An original Go server ends it when it cannot encode a value.
    Lost,
    /// What comes from the server cannot be read: it encodes messages otherwise, or is no such server.
    Unreadable {
        /// Why.
        reason: MalformedReason,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect { address, error } => write!(f, "cannot connect to {address}: {error}"),
            Self::Unauthorized { why } => write!(f, "the server refuses: {why}"),
            Self::Silent => f.write_str("the server does not answer"),
            Self::Lost => f.write_str("the connection to the server ended before it answered"),
            Self::Unreadable { reason } => write!(
                f,
                "the server sends what this client cannot read ({reason}); does it encode messages in the same way?"
            ),
        }
    }
}

impl std::error::Error for ClientError {}
