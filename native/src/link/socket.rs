//! TCP and Unix sockets.

use std::{future::Future, io, time::Duration};

use tokio::{
    net::TcpStream,
    time::{error::Elapsed, timeout},
};

use super::{Address, Link, OpenError};

pub(super) async fn tcp(host: &str) -> Result<TcpStream, OpenError> {
    let connected = connect(TcpStream::connect(host)).await;
    let stream = connected.map_err(|error| error.at(Address::Tcp(host.to_owned())))?;
    // Each command is one small write that waits for its answer, the worst case for Nagle's delay.
    stream
        .set_nodelay(true)
        .map_err(|error| OpenError::from_io(Address::Tcp(host.to_owned()), error))?;
    Ok(stream)
}

#[cfg(unix)]
pub(super) async fn unix(path: &std::path::Path) -> Result<Link, OpenError> {
    connect(tokio::net::UnixStream::connect(path))
        .await
        .map(Link::new)
        .map_err(|error| error.at(Address::Unix(path.to_owned())))
}

async fn connect<S>(connecting: impl Future<Output = io::Result<S>>) -> Result<S, Failure> {
    Ok(timeout(CONNECT_TIMEOUT, connecting).await??)
}

/// Why nothing was connected, without the address.
enum Failure {
    TimedOut,
    Io(io::Error),
}

impl Failure {
    fn at(self, address: Address) -> OpenError {
        match self {
            Self::TimedOut => OpenError::TimedOut {
                address,
                after: CONNECT_TIMEOUT,
            },
            Self::Io(error) => OpenError::from_io(address, error),
        }
    }
}

impl From<Elapsed> for Failure {
    fn from(_: Elapsed) -> Self {
        Self::TimedOut
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// How long a server may take to accept.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
