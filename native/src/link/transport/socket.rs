//! TCP and Unix sockets.

use tokio::net::TcpStream;

use crate::link::{address::Address, error::OpenError, stream::Link};

pub(in crate::link) async fn tcp(host: &str) -> Result<TcpStream, OpenError> {
    let failed = |error| OpenError::from_io(Address::Tcp(host.to_owned()), error);
    let stream = TcpStream::connect(host).await.map_err(failed)?;
    // Each command is one small write that waits for its answer, the worst case for Nagle's delay.
    stream.set_nodelay(true).map_err(failed)?;
    Ok(stream)
}

#[cfg(unix)]
pub(in crate::link) async fn unix(path: &std::path::Path) -> Result<Link, OpenError> {
    let failed = |error| OpenError::from_io(Address::Unix(path.to_owned()), error);
    let stream = tokio::net::UnixStream::connect(path).await;
    stream.map(Link::new).map_err(failed)
}
