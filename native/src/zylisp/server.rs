//! A server on any number of addresses.

use std::{fmt, io, path::PathBuf, sync::Arc, time::Duration};

use flylead_core::{
    Instant,
    nrepl::{self, NreplServer},
    zylisp::{
        self as core, Address, AddressError, Encoding, EvaluatorFactory, Message, SessionLimits,
        ZylispServer,
        lang::{Budget, Limits},
    },
};
use futures_util::future::Either;
use tokio::{
    io::AsyncWriteExt as _,
    sync::{Semaphore, watch},
    task::JoinSet,
    time,
};

use super::{
    connection,
    listener::{Accepted, Listener, Protocol},
    pool::Pool,
    registry::{Names, Registry},
};
use crate::link::Link;

/// What a [`Server`] serves, to whom, and how much of it.
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

/// A server that runs, on tasks of the tokio runtime it was started in.
///
/// Dropping it closes every connection at once; [`stop`](Self::stop) lets running evaluations end.
pub struct Server {
    addresses: Vec<Address>,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

pub(super) struct Shared {
    pub(super) config: ServerConfig,
    pub(super) registry: Registry,
    /// What every connection's machine is made from.
    machines: Arc<core::ServerConfig>,
    places: Arc<Semaphore>,
    names: Names,
    budget: Budget,
    evaluator: EvaluatorFactory,
}

/// Why a server does not listen.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// Others than this computer could connect, and there is no token.
    NeedsToken {
        /// Where.
        address: Address,
    },
    /// There is a token, and it is empty: anybody could show it.
    EmptyToken,
    /// nREPL has neither a token nor TLS, and others than this computer could connect.
    NreplBeyondLoopback {
        /// Where.
        address: Address,
    },
    /// There is a token, which nREPL's clients cannot show.
    NreplHasNoToken {
        /// Where.
        address: Address,
    },
    /// Nothing can listen on such an address here.
    Unsupported {
        /// Where.
        address: Address,
    },
    /// The system refused.
    Io {
        /// Where.
        address: Address,
        /// Why.
        error: io::Error,
    },
}

impl Server {
    /// Listens on all addresses of `config`, or on none.
    ///
    /// # Errors
    /// Nothing can listen there, or must not.
    pub async fn bind(config: ServerConfig) -> Result<Self, BindError> {
        if config.token.as_deref() == Some("") {
            return Err(BindError::EmptyToken);
        }
        let mut listeners = Vec::new();
        let mut addresses = Vec::new();
        let network = config
            .addresses
            .iter()
            .filter(|address| **address != Address::InProcess);
        for address in network {
            let (listener, address) = Listener::bind(address, config.token.is_some()).await?;
            listeners.push(listener);
            addresses.push(address);
        }
        let mut transports = vec!["in-process".to_owned()];
        transports.extend(
            listeners
                .iter()
                .map(|listener| listener.transport().to_owned()),
        );
        transports.dedup();
        let (stop, stopping) = watch::channel(false);
        let shared = Arc::new(Shared::new(config, transports));
        let mut tasks = JoinSet::new();
        for listener in listeners {
            tasks.spawn(accept_all(listener, Arc::clone(&shared), stopping.clone()));
        }
        Ok(Self {
            addresses,
            shared,
            stop,
            tasks,
        })
    }

    /// Where it listens: with the ports that the system chose for port 0.
    #[must_use]
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// A connection within this process: the other end of the stream speaks the protocol.
    pub fn connect(&mut self) -> tokio::io::DuplexStream {
        let (ours, theirs) = tokio::io::duplex(IN_PROCESS_BUFFER);
        let shared = Arc::clone(&self.shared);
        let stopping = self.stop.subscribe();
        let link = Link::new(theirs);
        self.tasks
            .spawn(serve(link, Protocol::Zylisp, shared, stopping));
        ours
    }

    /// Stops listening, lets running evaluations end for as long as the configuration says, and answers them.
    pub async fn stop(mut self) {
        // Without connections nobody listens to this either.
        let _ = self.stop.send(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Shared {
    fn new(config: ServerConfig, transports: Vec<String>) -> Self {
        let budget = Budget::new(config.total_memory);
        let evaluator = match &config.evaluator {
            Some(evaluator) => Arc::clone(evaluator),
            None => Pool::start().factory(config.language.clone(), budget.clone()),
        };
        Self {
            places: Arc::new(Semaphore::new(config.connections)),
            registry: Registry::default(),
            names: Names::default(),
            machines: Arc::new(machine_config(&config, transports, &budget)),
            budget,
            evaluator,
            config,
        }
    }

    /// Whether there is memory for one more client.
    fn has_memory(&self) -> bool {
        self.budget.used() + CLIENT_MEMORY <= self.budget.limit()
    }
}

/// What every connection's machine is made from.
fn machine_config(
    config: &ServerConfig,
    transports: Vec<String>,
    budget: &Budget,
) -> core::ServerConfig {
    let mut machine = core::ServerConfig::default();
    machine.encoding = config.encoding;
    machine.token.clone_from(&config.token);
    machine.message_limit = config.message_limit;
    machine.message_timeout = config.message_timeout;
    machine.page = config.page;
    machine.budget = budget.clone();
    machine.limits = config.limits.clone();
    machine.transports = transports;
    machine.evaluator.clone_from(&config.evaluator_name);
    machine
}

/// Serves a client that has done its handshake.
fn serve(
    link: Link,
    protocol: Protocol,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send {
    let name = shared.names.next();
    let (config, evaluator) = (Arc::clone(&shared.machines), Arc::clone(&shared.evaluator));
    match protocol {
        Protocol::Zylisp => {
            let machine = ZylispServer::new(Instant::START, config, evaluator).named(&*name);
            Either::Left(connection::serve(link, machine, name, shared, stopping))
        }
        Protocol::Nrepl => {
            let machine = NreplServer::nrepl(Instant::START, config, evaluator).named(&*name);
            Either::Right(connection::serve(link, machine, name, shared, stopping))
        }
    }
}

/// Accepts until the server stops, and waits for the connections then.
async fn accept_all(listener: Listener, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let mut stop = stopping.clone();
    let mut connections = JoinSet::new();
    let protocol = listener.protocol();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => drop(connections.spawn(welcome(accepted, protocol, Arc::clone(&shared), stopping.clone()))),
                // Out of file descriptors, as a rule; trying again at once would only burn time.
                Err(_) => time::sleep(ACCEPT_PAUSE).await,
            },
            _ = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Waits until the server stops.
pub(super) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A server that is dropped has stopped too.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

async fn welcome(
    accepted: Accepted,
    protocol: Protocol,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) {
    let config = &shared.config;
    let Ok(_place) = Arc::clone(&shared.places).try_acquire_owned() else {
        let why = refusal(protocol, config, "the server has too many clients");
        return Box::pin(turn_away(accepted, why)).await;
    };
    if !shared.has_memory() {
        let why = "the server's clients use all of its memory; try later";
        let why = refusal(protocol, config, why);
        return Box::pin(turn_away(accepted, why)).await;
    }
    // In a box of its own, which is gone when it is done.
    let handshake =
        Box::pin(accepted.ready(&config.origins, config.encoding, config.message_limit));
    if let Ok(Ok(link)) = time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
        serve(link, protocol, Arc::clone(&shared), stopping).await;
    }
}

/// What a client is told that is not served.
fn refusal(protocol: Protocol, config: &ServerConfig, why: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    match protocol {
        Protocol::Nrepl => nrepl::refuse(why, &mut bytes),
        Protocol::Zylisp => config
            .encoding
            .encode(&Message::protocol_error("", why), &mut bytes),
    }
    bytes
}

async fn turn_away(accepted: Accepted, bytes: Vec<u8>) {
    if let Accepted::Ready(mut link) = accepted {
        // A courtesy: the connection ends anyway.
        let saying = async {
            link.write_all(&bytes).await?;
            link.shutdown().await
        };
        let _ = time::timeout(ACCEPT_PAUSE, saying).await;
    }
}

/// What a client needs to do anything at all, in bytes.
const CLIENT_MEMORY: usize = 128 << 10;
/// After an error of accepting.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long a WebSocket client may take to become one.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// What an in-process connection holds in each direction, in bytes.
const IN_PROCESS_BUFFER: usize = 64 * 1024;

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeedsToken { address } => write!(
                f,
                "{address} can be reached from other computers, which needs a token"
            ),
            Self::EmptyToken => {
                f.write_str("the token is empty, which anybody could show; give one, or none")
            }
            Self::NreplBeyondLoopback { address } => write!(
                f,
                "{address} can be reached from other computers, and nREPL has neither a token nor TLS; listen on 127.0.0.1 and use an SSH tunnel"
            ),
            Self::NreplHasNoToken { address } => write!(
                f,
                "{address}: nREPL's clients cannot show a token; serve it without one, by a server of its own"
            ),
            Self::Unsupported { address } => write!(
                f,
                "cannot listen on {address}; use tcp://HOST:PORT, ws://HOST:PORT, nrepl://HOST:PORT or, where there are some, a Unix socket's path"
            ),
            Self::Io { address, error } => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for BindError {}
