//! Description of a server, and its limits.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use zylisp_lang::Budget;

use crate::zylisp::{codec::Encoding, session::SessionLimits};

/// Description of a [`Server`](super::Server), and its limits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Encoding of messages, if the protocol has several.
    pub encoding: Encoding,
    /// The name of a connection's session, by which others may interrupt it, unless it is given
    /// [another](super::Server::named). `describe` tells it.
    pub session: String,
    /// Token that a client must present first, with the operation `auth`. An empty one refuses
    /// everybody.
    pub token: Option<String>,
    /// Time limit of presenting it.
    pub token_timeout: Duration,
    /// The longest request, in bytes. Requests that wait for their turn take no more than this either.
    pub message_limit: usize,
    /// Time limit of a message from its first byte to its last.
    pub message_timeout: Duration,
    /// Number of malformed messages in a row that end the connection.
    pub fault_limit: usize,
    /// The longest answer that is sent at once, in bytes. What is longer comes in pages.
    pub page: usize,
    /// Memory that this connection shares with others, for what it has received and not carried out.
    pub budget: Budget,
    /// Limits of evaluations and sessions.
    pub limits: SessionLimits,
    /// Operations in a turn, of some nanoseconds each. Between two turns a driver reads and writes.
    pub fuel: u64,
    /// Transports of the server, for `describe`.
    pub transports: Vec<String>,
    /// Name of the evaluator, for `describe`.
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
            page: 4 << 20,
            budget: Budget::unlimited(),
            limits: SessionLimits::default(),
            fuel: 5_000,
            transports: Vec::new(),
            evaluator: "zylisp".into(),
        }
    }
}
