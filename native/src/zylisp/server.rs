//! A server on any number of addresses.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use flylead_core::Instant;
use flylead_core::zylisp::{
    self as core, Address, AddressError, Encoding, Evaluator, Message, Session, SessionLimits,
    Zylisp,
    lang::{Interpreter, Limits},
};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time,
};

use super::{
    connection::{Connection, Registry},
    listener::{Accepted, Listener},
    transport::Transport,
};

/// Makes an evaluator for each new connection.
pub type EvaluatorFactory = Arc<dyn Fn() -> Box<dyn Evaluator + Send> + Send + Sync>;

/// What a [`Server`] serves, to whom, and how much of it.
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where to listen. TCP and WebSocket addresses beyond loopback need a [token](Self::token).
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
    /// What evaluates.
    pub evaluator: EvaluatorFactory,
}

impl ServerConfig {
    /// The built-in language at these addresses.
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
            message_timeout: Duration::from_secs(60),
            connections: 2_048,
            limits: SessionLimits::default(),
            write_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(5),
            evaluator_name: "zylisp".into(),
            evaluator: zylisp(Limits::default()),
        })
    }

    /// The same, with the built-in language under these limits.
    #[must_use]
    pub fn with_language_limits(self, limits: Limits) -> Self {
        Self {
            evaluator: zylisp(limits),
            ..self
        }
    }
}

fn zylisp(limits: Limits) -> EvaluatorFactory {
    Arc::new(move || Box::new(Zylisp::new(Interpreter::new(limits.clone()))))
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
    transports: Vec<String>,
    places: Arc<Semaphore>,
    names: Names,
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
    pub async fn bind(config: ServerConfig) -> Result<Self, BindError> {
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
        let shared = Arc::new(Shared {
            places: Arc::new(Semaphore::new(config.connections)),
            config,
            registry: Registry::default(),
            transports,
            names: Names::default(),
        });
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
        let connection = self
            .shared
            .connection(Transport::bytes(theirs), self.stop.subscribe());
        self.tasks.spawn(connection.run());
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
    fn connection(
        self: &Arc<Self>,
        transport: Transport,
        stopping: watch::Receiver<bool>,
    ) -> Connection {
        let config = &self.config;
        let name = self.names.next();
        let mut server = core::ServerConfig::default();
        server.encoding = config.encoding;
        server.session = name.clone();
        server.token = config.token.clone();
        server.message_limit = config.message_limit;
        server.message_timeout = config.message_timeout;
        server.transports = self.transports.clone();
        server.evaluator = config.evaluator_name.clone();
        Connection {
            transport,
            session: Session::new(
                Instant::START,
                server,
                config.limits.clone(),
                (config.evaluator)(),
            ),
            name,
            shared: Arc::clone(self),
            stopping,
            started: time::Instant::now(),
            go: false,
        }
    }
}

/// Accepts until the server stops, and waits for the connections then.
async fn accept_all(listener: Listener, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let mut stop = stopping.clone();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => drop(connections.spawn(welcome(accepted, Arc::clone(&shared), stopping.clone()))),
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

async fn welcome(accepted: Accepted, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let config = &shared.config;
    let Ok(_place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return turn_away(accepted, config).await;
    };
    let handshake = accepted.ready(&config.origins, config.encoding, config.message_limit);
    if let Ok(Ok(transport)) = time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
        shared.connection(transport, stopping).run().await;
    }
}

async fn turn_away(accepted: Accepted, config: &ServerConfig) {
    if let Accepted::Ready(mut transport) = accepted {
        let mut bytes = Vec::new();
        config.encoding.encode(
            &Message::protocol_error("", "the server has too many clients"),
            &mut bytes,
        );
        // A courtesy: the connection ends anyway.
        let _ = time::timeout(ACCEPT_PAUSE, transport.send(&bytes)).await;
        transport.close().await;
    }
}

/// Names of sessions that nobody can guess.
#[derive(Default)]
struct Names {
    secrets: [RandomState; 2],
    count: AtomicU64,
}

impl Names {
    fn next(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let [high, low] = self.secrets.each_ref().map(|secret| secret.hash_one(count));
        format!("{high:016x}{low:016x}")
    }
}

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
            Self::Unsupported { address } => write!(
                f,
                "cannot listen on {address}; use tcp://HOST:PORT, ws://HOST:PORT or, where there are some, a Unix socket's path"
            ),
            Self::Io { address, error } => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for BindError {}
