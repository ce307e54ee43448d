//! Configuration of a server.

use std::{path::PathBuf, time::Duration};

use flylead_core::zylisp::{
    Address, AddressError, Encoding, EvaluatorFactory, SessionLimits, lang::Limits,
};

/// Configuration of a [`Server`](super::Server): its addresses, clients and limits.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Addresses to listen on. TCP and WebSocket addresses beyond loopback need a
    /// [token](Self::token); nREPL, which has none, listens on loopback alone.
    pub addresses: Vec<Address>,
    /// Encoding of messages.
    pub encoding: Encoding,
    /// Token that a client must present first.
    pub token: Option<String>,
    /// Web pages that may connect to a WebSocket, such as `https://bench.example`. Programs need no entry.
    pub origins: Vec<String>,
    /// Folders below which `load-file` may read; without any, `load-file` is refused.
    pub roots: Vec<PathBuf>,
    /// The longest request and the longest file, in bytes.
    pub message_limit: usize,
    /// The longest answer that is sent at once, in bytes.
    pub page: usize,
    /// Memory of all clients together, in bytes: their environments, and their requests that are not carried out yet.
    pub total_memory: usize,
    /// Limits of one client's environment, within the total.
    pub language: Limits,
    /// Time limit of a message from its first byte to its last. A client that exceeds it is
    /// disconnected.
    pub message_timeout: Duration,
    /// Limit of simultaneous clients.
    pub connections: usize,
    /// Limits of evaluations.
    pub limits: SessionLimits,
    /// Time that a client has to read a reply.
    pub write_timeout: Duration,
    /// Time that running evaluations have to end when the server stops.
    pub drain: Duration,
    /// Name of the evaluator.
    pub evaluator_name: String,
    /// Factory of evaluators; defaults to the built-in language.
    pub evaluator: Option<EvaluatorFactory>,
}

impl ServerConfig {
    /// Configures a server of the built-in language at these addresses.
    ///
    /// # Errors
    /// When one of them is not a valid address.
    pub fn at<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Result<Self, AddressError> {
        let addresses = addresses
            .into_iter()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            addresses,
            encoding: Encoding::Json,
            token: None,
            origins: Vec::new(),
            roots: Vec::new(),
            message_limit: 4 << 20,
            page: 4 << 20,
            total_memory: 512 << 20,
            language: Limits::default(),
            message_timeout: Duration::from_secs(60),
            connections: 2_048,
            limits: SessionLimits::default(),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
            evaluator_name: "zylisp".into(),
            evaluator: None,
        })
    }
}
