//! Description of a server, and its limits.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use zylisp_lang::Budget;

use crate::{
    machine::setters::setters,
    zylisp::{codec::Encoding, session::SessionLimits},
};

/// Description of a [`Server`](super::Server), and its limits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Encoding of messages, if the protocol has several.
    pub encoding: Encoding,
    /// The name of a connection's session, by which others may interrupt it, unless [another](super::Server::named) is
    /// set. `describe` reports it.
    pub session: String,
    /// Token that a client must present first, with the operation `auth`. An empty token refuses every client.
    pub token: Option<String>,
    /// Time limit for presenting the token.
    pub token_timeout: Duration,
    /// Size limit of a request, in bytes. Requests that wait for their turn are limited to this size in total as well.
    pub message_limit: usize,
    /// Time limit of a message from its first byte to its last.
    pub message_timeout: Duration,
    /// Number of malformed messages in a row that end the connection.
    pub fault_limit: usize,
    /// Size limit of an answer sent at once, in bytes. A longer one comes in pages.
    pub page: usize,
    /// Memory budget shared with other connections, for received data that is not processed yet.
    pub budget: Budget,
    /// Limits of evaluations and sessions.
    pub limits: SessionLimits,
    /// Number of operations in a turn, of some nanoseconds each. Between two turns, a driver reads and writes.
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

setters! {
    ServerConfig:
    encoding: Encoding,
    session: String,
    token: Option<String>,
    token_timeout: Duration,
    message_limit: usize,
    message_timeout: Duration,
    fault_limit: usize,
    page: usize,
    budget: Budget,
    limits: SessionLimits,
    fuel: u64,
    transports: Vec<String>,
    evaluator: String,
}
