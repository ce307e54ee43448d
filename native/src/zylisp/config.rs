//! What a server is to serve.

use std::{path::PathBuf, time::Duration};

use flylead_core::zylisp::{
    Address, AddressError, Encoding, EvaluatorFactory, SessionLimits, lang::Limits,
};

/// What a [`Server`](super::Server) serves, to whom, and how much of it.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where to listen. TCP and WebSocket addresses beyond loopback need a [token](Self::token); nREPL, which has none,
    /// listens on loopback alone.
    pub addresses: Vec<Address>,
    /// How messages are written.
    pub encoding: Encoding,
    /// What a client has to show first.
    pub token: Option<String>,
    /// The web pages that may connect to a WebSocket, such as `https://bench.example`. Programs need none.
    pub origins: Vec<String>,
    /// The folders below which `load-file` may read. Without any, it is refused.
    pub roots: Vec<PathBuf>,
    /// The longest request and the longest file, in bytes.
    pub message_limit: usize,
    /// The longest answer that is sent at once, in bytes.
    pub page: usize,
    /// Memory of all clients together, in bytes: their environments, and what they sent that is not carried out yet.
    pub total_memory: usize,
    /// What one client's environment may use of that.
    pub language: Limits,
    /// How long a message may take from its first byte to its last. Whoever does not finish one is given up.
    pub message_timeout: Duration,
    /// How many clients at once.
    pub connections: usize,
    /// How long evaluations may take.
    pub limits: SessionLimits,
    /// How long a client may take to read a reply.
    pub write_timeout: Duration,
    /// How long running evaluations may go on when the server stops.
    pub drain: Duration,
    /// What evaluates, by name.
    pub evaluator_name: String,
    /// What evaluates; without it, the built-in language.
    pub evaluator: Option<EvaluatorFactory>,
}

impl ServerConfig {
    /// The built-in language at these addresses.
    ///
    /// # Errors
    /// One of them is no address.
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
