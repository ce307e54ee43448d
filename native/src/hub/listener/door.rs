//! The hub's side of the door for the commands of this user.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{net::TcpStream, time};

use super::tcp::TcpDoor;
use crate::link::transport::hub::{
    door::Stream,
    keys::{self, Keys},
};
#[cfg(unix)]
use crate::os::unix_socket::Socket;

/// Open door, and the entry that represents it in the folder of this user's hubs.
pub(in crate::hub) enum Door {
    #[cfg(unix)]
    Socket(Socket),
    Tcp(TcpDoor),
}

/// Caller at the door.
pub(in crate::hub) enum Caller {
    /// A process of this user: the system lets no other user connect to the socket.
    #[cfg(unix)]
    OfThisUser(tokio::net::UnixStream),
    /// A process of any user on this computer.
    Unknown(TcpStream, Keys),
}

impl Door {
    /// Opens the door at `path`.
    pub(in crate::hub) async fn open(path: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        if !is_tcp_wanted() {
            return Ok(Self::Socket(Socket::bind(path).await?));
        }
        Ok(Self::Tcp(TcpDoor::open(path).await?))
    }

    pub(in crate::hub) fn path(&self) -> PathBuf {
        match self {
            #[cfg(unix)]
            Self::Socket(socket) => socket.path().to_owned(),
            Self::Tcp(door) => door.path().to_owned(),
        }
    }

    pub(in crate::hub) async fn next(&self) -> io::Result<Caller> {
        Ok(match self {
            #[cfg(unix)]
            Self::Socket(socket) => Caller::OfThisUser(socket.listener.accept().await?.0),
            Self::Tcp(door) => Caller::Unknown(door.next().await?, door.keys().clone()),
        })
    }
}

impl Caller {
    /// Admits a caller that is this user.
    pub(super) async fn admit(self) -> io::Result<Stream> {
        Ok(match self {
            #[cfg(unix)]
            Self::OfThisUser(stream) => Box::new(stream),
            Self::Unknown(mut stream, keys) => {
                time::timeout(KEY_TIMEOUT, keys::admit(&mut stream, &keys)).await??;
                Box::new(stream)
            }
        })
    }
}

/// Returns true if the folder cannot hold a socket, as some folders of virtual machines.
#[cfg(unix)]
fn is_tcp_wanted() -> bool {
    std::env::var_os("FLYLEAD_HUB").is_some_and(|kind| kind == "tcp")
}

/// Time that a caller has to present the key.
const KEY_TIMEOUT: Duration = Duration::from_secs(5);
