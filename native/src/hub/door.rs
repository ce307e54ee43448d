//! Where the commands of this user come in: a Unix socket, or loopback TCP where the system has none.

use std::{
    io,
    net::TcpStream as BlockingTcpStream,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time,
};

use super::tcp::{self, Keys, TcpDoor};
#[cfg(unix)]
use crate::unix_socket::Socket;

/// A door, and what stands for it in the folder of this user's hubs.
pub(super) enum Door {
    #[cfg(unix)]
    Socket(Socket),
    Tcp(TcpDoor),
}

/// Somebody at the door.
pub(super) enum Caller {
    /// The system lets nobody else open a socket of this user's.
    #[cfg(unix)]
    OfThisUser(tokio::net::UnixStream),
    /// It may be anybody on this computer.
    Unknown(TcpStream, Keys),
}

/// A connection of this user's.
pub(super) type Stream = Box<dyn Duplex>;

/// Bytes both ways.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

impl Door {
    /// Opens one that `path` stands for.
    pub(super) async fn open(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        if !is_tcp_wanted() {
            return Ok(Self::Socket(Socket::bind(path).await?));
        }
        Ok(Self::Tcp(TcpDoor::open(path).await?))
    }

    pub(super) fn path(&self) -> PathBuf {
        match self {
            #[cfg(unix)]
            Self::Socket(socket) => socket.path().to_owned(),
            Self::Tcp(door) => door.path().to_owned(),
        }
    }

    pub(super) async fn next(&self) -> io::Result<Caller> {
        Ok(match self {
            #[cfg(unix)]
            Self::Socket(socket) => Caller::OfThisUser(socket.listener.accept().await?.0),
            Self::Tcp(door) => Caller::Unknown(door.next().await?, door.keys().clone()),
        })
    }
}

impl Caller {
    /// Lets in whoever is this user.
    pub(super) async fn admit(self) -> io::Result<Stream> {
        Ok(match self {
            #[cfg(unix)]
            Self::OfThisUser(stream) => Box::new(stream),
            Self::Unknown(mut stream, keys) => {
                time::timeout(KEY_TIMEOUT, tcp::admit(&mut stream, &keys)).await??;
                Box::new(stream)
            }
        })
    }
}

/// Goes in at the door that `path` stands for.
pub(super) async fn enter(path: &Path) -> io::Result<Stream> {
    #[cfg(unix)]
    if is_socket(path) {
        return Ok(Box::new(tokio::net::UnixStream::connect(path).await?));
    }
    Ok(Box::new(tcp::enter(path).await?))
}

/// Whether the hub behind it is gone.
pub(super) fn is_dead(path: &Path) -> bool {
    #[cfg(unix)]
    if is_socket(path) {
        let connected = std::os::unix::net::UnixStream::connect(path);
        return is_refused(connected);
    }
    let keys = Keys::read(path);
    keys.is_ok_and(|keys| {
        is_refused(BlockingTcpStream::connect_timeout(
            &keys.address(),
            CALL_TIMEOUT,
        ))
    })
}

fn is_refused<T>(connected: io::Result<T>) -> bool {
    connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

#[cfg(unix)]
fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

/// For folders in which no socket can be, as some of virtual machines.
#[cfg(unix)]
fn is_tcp_wanted() -> bool {
    std::env::var_os("FLYLEAD_HUB").is_some_and(|kind| kind == "tcp")
}

/// How long a system may take to say whether anybody listens at a port of its own.
const CALL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long somebody may take to show the key.
const KEY_TIMEOUT: Duration = Duration::from_secs(5);
