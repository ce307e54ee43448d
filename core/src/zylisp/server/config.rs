//! What a server tells of itself, and what it allows.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use super::super::codec::Encoding;

/// What a [`ZylispServer`](super::ZylispServer) tells of itself, and what it allows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How messages are written.
    pub encoding: Encoding,
    /// The name of this connection's session, by which others may interrupt it. `describe` tells it.
    pub session: String,
    /// What a client has to show before anything else, with the operation `auth`.
    pub token: Option<String>,
    /// How long a client has for that.
    pub token_timeout: Duration,
    /// The longest request, in bytes. Requests that wait for their turn take no more than this either.
    pub message_limit: usize,
    /// How long a message may take from its first byte to its last.
    pub message_timeout: Duration,
    /// How many malformed messages in a row end the connection.
    pub fault_limit: usize,
    /// Which transports the server listens on, for `describe`.
    pub transports: Vec<String>,
    /// What evaluates, for `describe`.
    pub evaluator: String,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            encoding: Encoding::Json,
            session: String::new(),
            token: None,
            token_timeout: Duration::from_secs(10),
            message_limit: 4 << 20,
            message_timeout: Duration::from_secs(60),
            fault_limit: 100,
            transports: Vec::new(),
            evaluator: "zylisp".into(),
        }
    }
}
