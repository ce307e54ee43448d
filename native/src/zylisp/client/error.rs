//! Reasons why there is no reply.

use std::{fmt, io};

use flylead_core::zylisp::{Address, MalformedReason};

/// Reason why there is no reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// Nothing answers at that address.
    Connect {
        /// The address.
        address: Address,
        /// Error of the system.
        error: io::Error,
    },
    /// The server refused the token, or requires one.
    Unauthorized {
        /// Reason, in the server's own words.
        why: String,
    },
    /// The server accepts the connection, but sends nothing.
    Silent,
    /// The connection ended before the reply. An original Go server ends it when it cannot encode a value.
    Lost,
    /// The server's messages cannot be read: it uses another encoding, or another protocol.
    Unreadable {
        /// Reason.
        reason: MalformedReason,
    },
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect { address, error } => write!(f, "cannot connect to {address}: {error}"),
            Self::Unauthorized { why } => write!(f, "the server refused: {why}"),
            Self::Silent => f.write_str("the server does not answer"),
            Self::Lost => f.write_str("the connection to the server ended before it answered"),
            Self::Unreadable { reason } => write!(
                f,
                "the server sent a message that this client cannot read ({reason}); do both use the same encoding?"
            ),
        }
    }
}

impl std::error::Error for ClientError {}
