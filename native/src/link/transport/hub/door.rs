//! Entrance for the commands of this user: a Unix socket, or loopback TCP on systems without them.

use std::{io, net::TcpStream, path::Path, time::Duration};

use tokio::io::{AsyncRead, AsyncWrite};

use super::keys::{self, Keys};

/// Connection of this user.
pub(crate) type Stream = Box<dyn Duplex>;

/// Byte stream in both directions.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Connects to the door at `path`.
pub(crate) async fn enter(path: &Path) -> io::Result<Stream> {
    #[cfg(unix)]
    if is_socket(path) {
        return Ok(Box::new(tokio::net::UnixStream::connect(path).await?));
    }
    Ok(Box::new(keys::enter(path).await?))
}

/// Returns true if the hub behind the door is gone.
pub(crate) fn is_dead(path: &Path) -> bool {
    #[cfg(unix)]
    if is_socket(path) {
        let connected = std::os::unix::net::UnixStream::connect(path);
        return is_refused(connected);
    }
    let keys = Keys::read(path);
    keys.is_ok_and(|keys| is_refused(TcpStream::connect_timeout(&keys.address(), CALL_TIMEOUT)))
}

fn is_refused<T>(connected: io::Result<T>) -> bool {
    connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

#[cfg(unix)]
fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

/// Time that a system has to connect to one of its own ports.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);
