//! Sources of connections.

use std::{fmt, io, path::Path, time::Duration};

use flylead_core::zylisp::{Address, Encoding};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    MaybeTlsStream, accept_hdr_async_with_config,
    tungstenite::{
        handshake::server::{ErrorResponse, Request, Response},
        http::StatusCode,
    },
};

use super::frames::{Frames, websocket_config};
use crate::link::Link;
#[cfg(unix)]
use crate::os::unix_socket::Socket;

pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(Socket),
    WebSocket(TcpListener),
    Nrepl(TcpListener),
}

/// Protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Zylisp,
    Nrepl,
}

/// A connection whose handshake, if it has one, is still to be done.
pub(super) enum Accepted {
    Ready(Link),
    WebSocket(TcpStream),
}

/// Reason why a server does not listen.
#[derive(Debug)]
#[non_exhaustive]
pub enum BindError {
    /// Other computers could connect, and there is no token.
    NeedsToken {
        /// Address.
        address: Address,
    },
    /// The token is empty: anybody could present it.
    EmptyToken,
    /// nREPL has neither a token nor TLS, and other computers could connect.
    NreplBeyondLoopback {
        /// Address.
        address: Address,
    },
    /// A token is set, but clients of nREPL cannot present one.
    NreplHasNoToken {
        /// Address.
        address: Address,
    },
    /// This system cannot listen on such an address.
    Unsupported {
        /// Address.
        address: Address,
    },
    /// The system refused.
    Io {
        /// Address.
        address: Address,
        /// Error of the system.
        error: io::Error,
    },
}

impl Listener {
    /// Listens, and returns the actual address, in which the system's choice replaces port 0. Addresses beyond loopback
    /// need a token.
    pub(super) async fn bind(
        address: &Address,
        has_token: bool,
    ) -> Result<(Self, Address), BindError> {
        let failed = |error: io::Error| BindError::Io {
            address: address.clone(),
            error,
        };
        match address {
            Address::Tcp(host) => {
                let listener = bind_tcp(address, host, has_token).await?;
                let local = listener.local_addr().map_err(failed)?;
                Ok((Self::Tcp(listener), Address::Tcp(local.to_string())))
            }
            Address::WebSocket(url) => {
                let Some(host) = url.strip_prefix("ws://") else {
                    return Err(BindError::Unsupported {
                        address: address.clone(),
                    });
                };
                let host = host.split('/').next().unwrap_or(host);
                let listener = bind_tcp(address, host, has_token).await?;
                let local = listener.local_addr().map_err(failed)?;
                Ok((
                    Self::WebSocket(listener),
                    Address::WebSocket(format!("ws://{local}")),
                ))
            }
            Address::Unix(path) => bind_unix(address, Path::new(path)).await,
            Address::Nrepl(host) => {
                let listener = bind_nrepl(address, host, has_token).await?;
                let local = listener.local_addr().map_err(failed)?;
                Ok((Self::Nrepl(listener), Address::Nrepl(local.to_string())))
            }
            _ => Err(BindError::Unsupported {
                address: address.clone(),
            }),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener) | Self::Nrepl(listener) => {
                let (stream, _) = listener.accept().await?;
                prepare(&stream)?;
                Ok(Accepted::Ready(Link::new(stream)))
            }
            #[cfg(unix)]
            Self::Unix(socket) => {
                let (stream, _) = socket.listener.accept().await?;
                Ok(Accepted::Ready(Link::new(stream)))
            }
            Self::WebSocket(listener) => {
                let (stream, _) = listener.accept().await?;
                prepare(&stream)?;
                Ok(Accepted::WebSocket(stream))
            }
        }
    }

    pub(super) fn transport(&self) -> &'static str {
        match self {
            Self::Tcp(_) => "tcp",
            #[cfg(unix)]
            Self::Unix(_) => "unix",
            Self::WebSocket(_) => "websocket",
            Self::Nrepl(_) => "nrepl",
        }
    }

    pub(super) const fn protocol(&self) -> Protocol {
        match matches!(self, Self::Nrepl(_)) {
            true => Protocol::Nrepl,
            false => Protocol::Zylisp,
        }
    }
}

impl Accepted {
    /// Does the handshake. Only pages from one of `origins` may open a WebSocket; programs name no origin.
    pub(super) async fn ready(
        self,
        origins: &[String],
        encoding: Encoding,
        limit: usize,
    ) -> io::Result<Link> {
        let stream = match self {
            Self::Ready(link) => return Ok(link),
            Self::WebSocket(stream) => MaybeTlsStream::Plain(stream),
        };
        let config = Some(websocket_config(limit));
        #[expect(clippy::result_large_err, reason = "the WebSocket library's own type")]
        let check = |request: &Request, response| check_origin(request, response, origins);
        accept_hdr_async_with_config(stream, check, config)
            .await
            .map(|socket| Link::new(Frames::new(socket, encoding)))
            .map_err(io::Error::other)
    }
}

#[expect(clippy::result_large_err, reason = "the WebSocket library's own type")]
fn check_origin(
    request: &Request,
    response: Response,
    origins: &[String],
) -> Result<Response, ErrorResponse> {
    let allowed = match request.headers().get("origin") {
        None => true,
        Some(origin) => origin
            .to_str()
            .is_ok_and(|origin| origins.iter().any(|allowed| allowed == origin)),
    };
    if allowed {
        return Ok(response);
    }
    let mut refusal = ErrorResponse::new(Some("pages from this origin may not connect".into()));
    *refusal.status_mut() = StatusCode::FORBIDDEN;
    Err(refusal)
}

async fn bind_tcp(
    address: &Address,
    host: &str,
    has_token: bool,
) -> Result<TcpListener, BindError> {
    let failed = |error: io::Error| BindError::Io {
        address: address.clone(),
        error,
    };
    // An empty host is this computer, not the whole network.
    let host = if host.starts_with(':') {
        format!("127.0.0.1{host}")
    } else {
        host.to_owned()
    };
    let hosts: Vec<_> = tokio::net::lookup_host(host)
        .await
        .map_err(failed)?
        .collect();
    if !has_token && hosts.iter().any(|host| !host.ip().is_loopback()) {
        return Err(BindError::NeedsToken {
            address: address.clone(),
        });
    }
    TcpListener::bind(&*hosts).await.map_err(failed)
}

/// Listens for nREPL, on loopback alone and only without a token: the protocol has neither a token nor TLS.
async fn bind_nrepl(
    address: &Address,
    host: &str,
    has_token: bool,
) -> Result<TcpListener, BindError> {
    let address = address.clone();
    if has_token {
        return Err(BindError::NreplHasNoToken { address });
    }
    match bind_tcp(&address, host, false).await {
        Err(BindError::NeedsToken { address }) => Err(BindError::NreplBeyondLoopback { address }),
        bound => bound,
    }
}

/// Sets the options for a connection of short messages.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    // Each reply is one small write, the worst case for Nagle's delay.
    stream.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_AFTER)
        .with_interval(KEEPALIVE_EVERY);
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}

/// Time of silence after which a peer is probed.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(60);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(15);

#[cfg(unix)]
async fn bind_unix(address: &Address, path: &Path) -> Result<(Listener, Address), BindError> {
    match Socket::bind(path).await {
        Ok(socket) => Ok((Listener::Unix(socket), address.clone())),
        Err(error) => Err(BindError::Io {
            address: address.clone(),
            error,
        }),
    }
}

#[cfg(not(unix))]
async fn bind_unix(address: &Address, _path: &Path) -> Result<(Listener, Address), BindError> {
    Err(BindError::Unsupported {
        address: address.clone(),
    })
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeedsToken { address } => write!(
                f,
                "{address} can be reached from other computers, which needs a token"
            ),
            Self::EmptyToken => {
                f.write_str("the token is empty, so anybody could present it; set one, or omit it")
            }
            Self::NreplBeyondLoopback { address } => write!(
                f,
                "{address} can be reached from other computers, and nREPL has neither a token nor TLS; listen on 127.0.0.1 and use an SSH tunnel"
            ),
            Self::NreplHasNoToken { address } => write!(
                f,
                "{address}: nREPL's clients cannot present a token; serve it without one, by a server of its own"
            ),
            Self::Unsupported { address } => write!(
                f,
                "cannot listen on {address}; use tcp://HOST:PORT, ws://HOST:PORT, nrepl://HOST:PORT or, where supported, the path of a Unix socket"
            ),
            Self::Io { address, error } => write!(f, "cannot listen on {address}: {error}"),
        }
    }
}

impl std::error::Error for BindError {}
