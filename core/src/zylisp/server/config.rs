//! What a server tells of itself, and what it allows.

use alloc::{string::String, vec::Vec};
use core::time::Duration;

use zylisp_lang::Budget;

use crate::zylisp::{codec::Encoding, session::SessionLimits};

/// What a [`Server`](super::Server) tells of itself, and what it allows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// How messages are written, where the protocol has several encodings.
    pub encoding: Encoding,
    /// The name of a connection's session, by which others may interrupt it, unless it is given
    /// [another](super::Server::named). `describe` tells it.
    pub session: String,
    /// What a client has to show before anything else, with the operation `auth`. An empty one refuses everybody.
    pub token: Option<String>,
    /// How long a client has for that.
    pub token_timeout: Duration,
    /// The longest request, in bytes. Requests that wait for their turn take no more than this either.
    pub message_limit: usize,
    /// How long a message may take from its first byte to its last.
    pub message_timeout: Duration,
    /// How many malformed messages in a row end the connection.
    pub fault_limit: usize,
    /// The longest answer that is sent at once, in bytes. What is longer comes in pages.
    pub page: usize,
    /// Memory that this connection shares with others, for what it has received and not carried out.
    pub budget: Budget,
    /// How long evaluations may take, and how many sessions there may be.
    pub limits: SessionLimits,
    /// Operations in a turn, of some nanoseconds each. Between two turns a driver reads and writes.
    pub fuel: u64,
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
            page: 4 << 20,
            budget: Budget::unlimited(),
            limits: SessionLimits::default(),
            fuel: 5_000,
            transports: Vec::new(),
            evaluator: "zylisp".into(),
        }
    }
}
