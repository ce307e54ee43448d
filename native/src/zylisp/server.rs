//! A server on any number of addresses.

use std::{fmt, sync::Arc, time::Duration};

use flylead_core::{
    Instant,
    nrepl::{self, NreplServer},
    zylisp::{Address, Message, ZylispServer},
};
use futures_util::future::Either;
use tokio::{io::AsyncWriteExt as _, sync::watch, task::JoinSet, time};

use super::{
    config::ServerConfig,
    connection,
    listener::{Accepted, BindError, Listener, Protocol},
    shared::{Shared, stopped},
};
use crate::link::Link;

/// A running server, on tasks of the tokio runtime that it was started in.
///
/// Dropping it closes every connection at once; [`stop`](Self::stop) lets running evaluations end.
pub struct Server {
    addresses: Vec<Address>,
    shared: Arc<Shared>,
    activity: watch::Receiver<()>,
    /// True until the server has rested.
    is_busy: bool,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Server {
    /// Listens on all addresses of `config`, or on none.
    ///
    /// # Errors
    /// When the server cannot listen on an address, or must not.
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
            activity: shared.activity.subscribe(),
            is_busy: true,
            shared,
            stop,
            tasks,
        })
    }

    /// Returns the addresses that the server listens on, with the ports that the system chose for port 0.
    #[must_use]
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// Opens a connection within this process: the other end of the stream speaks the protocol.
    pub fn connect(&mut self) -> tokio::io::DuplexStream {
        let (ours, theirs) = tokio::io::duplex(IN_PROCESS_BUFFER);
        let shared = Arc::clone(&self.shared);
        let stopping = self.stop.subscribe();
        let link = Link::new(theirs);
        self.tasks
            .spawn(serve(link, Protocol::Zylisp, shared, stopping));
        ours
    }

    /// Waits until the server has been busy, or has started, and then has had no new clients and requests for a while.
    /// Cancel safe.
    ///
    /// A server at rest may release what it needs only for work, for example with
    /// [`release_pages`](super::release_pages).
    pub async fn rested(&mut self) {
        // The server itself keeps the sender.
        self.is_busy = self.is_busy || self.activity.changed().await.is_ok();
        while let Ok(Ok(())) = time::timeout(REST, self.activity.changed()).await {}
        self.is_busy = false;
    }

    /// Stops listening, lets running evaluations end for as long as the configuration says, and answers them.
    pub async fn stop(mut self) {
        // Without connections nothing receives this.
        let _ = self.stop.send(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Serves a client whose handshake is done.
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

/// Accepts connections until the server stops, and then waits for their end.
async fn accept_all(listener: Listener, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let mut stop = stopping.clone();
    let mut connections = JoinSet::new();
    let protocol = listener.protocol();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => {
                    shared.activity.send_replace(());
                    connections.spawn(welcome(accepted, protocol, Arc::clone(&shared), stopping.clone()));
                }
                // Usually the file descriptors have run out; an immediate retry would only waste time.
                Err(_) => time::sleep(ACCEPT_PAUSE).await,
            },
            _ = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Serves a connection, or rejects it.
fn welcome(
    accepted: Accepted,
    protocol: Protocol,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> impl Future<Output = ()> + Send {
    let place = Arc::clone(&shared.places).try_acquire_owned().ok();
    // In a box of its own, which is freed once the handshake is done.
    let entrance = enter(accepted, protocol, Arc::clone(&shared), place.is_some());
    let entrance = Box::pin(entrance);
    async move {
        if let Some(link) = entrance.await {
            serve(link, protocol, shared, stopping).await;
        }
        drop(place);
    }
}

/// Returns the link of a client that may stay, after its handshake.
async fn enter(
    accepted: Accepted,
    protocol: Protocol,
    shared: Arc<Shared>,
    has_place: bool,
) -> Option<Link> {
    let config = &shared.config;
    let why = match has_place {
        false => Some("the server has too many clients"),
        true if shared.has_memory() => None,
        true => Some("the server's clients use all of its memory; try later"),
    };
    if let Some(why) = why {
        turn_away(accepted, refusal(protocol, config, why)).await;
        return None;
    }
    let handshake = accepted.ready(&config.origins, config.encoding, config.message_limit);
    time::timeout(HANDSHAKE_TIMEOUT, handshake).await.ok()?.ok()
}

/// Returns the message to a client that is refused.
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

/// Time without clients and requests after which a server rests.
const REST: Duration = Duration::from_secs(1);
/// Pause after an error while accepting.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Time limit of a WebSocket handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Capacity of an in-process connection in each direction, in bytes.
const IN_PROCESS_BUFFER: usize = 64 * 1024;

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}
