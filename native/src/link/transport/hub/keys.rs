//! A door on loopback TCP, to which any user of this computer can connect.
//!
//! A file that only this user can read contains two keys: a command presents one, and the hub the other. Thus a hub
//! admits no other user, and no command talks to a stranger listening at the port of a hub that is gone.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{os::disk, random_hex};

/// Content of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keys {
    port: u16,
    /// Key that a command presents, in hexadecimal digits.
    command: String,
    /// Key that the hub presents.
    hub: String,
}

impl Keys {
    /// Creates keys for a hub that listens at this port.
    pub(crate) fn new(port: u16) -> Self {
        Self {
            port,
            command: random_hex::<KEY_BYTES>(),
            hub: random_hex::<KEY_BYTES>(),
        }
    }

    /// Writes the file, accessible only to this user.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        disk::replace_private(path, &serde_json::to_vec(self)?)
    }

    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let text = disk::read_text(path, LONGEST_FILE)?;
        let keys: Self = serde_json::from_str(&text)?;
        let are_whole = [&keys.command, &keys.hub].map(|key| key.len() == KEY_LENGTH);
        match are_whole {
            [true, true] => Ok(keys),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }
}

/// Admits a caller that presents the command's key, and presents the hub's key.
pub(crate) async fn admit(stream: &mut TcpStream, keys: &Keys) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let shown = read_key(stream).await?;
    if !bool::from(shown.ct_eq(keys.command.as_bytes())) {
        stream.write_all(&[REFUSED]).await?;
        stream.shutdown().await?;
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    stream.write_all(&[ADMITTED]).await?;
    stream.write_all(keys.hub.as_bytes()).await
}

/// Connects a command to its hub.
pub(crate) async fn enter(path: &Path) -> io::Result<TcpStream> {
    let keys = Keys::read(path)?;
    let mut stream = TcpStream::connect(keys.address()).await?;
    stream.set_nodelay(true)?;
    stream.write_all(keys.command.as_bytes()).await?;
    let denied = |why: &str| {
        let message = format!("{why} the key in {}", path.display());
        io::Error::new(io::ErrorKind::PermissionDenied, message)
    };
    if stream.read_u8().await? != ADMITTED {
        return Err(denied("the hub refused"));
    }
    let shown = read_key(&mut stream).await?;
    match bool::from(shown.ct_eq(keys.hub.as_bytes())) {
        true => Ok(stream),
        false => Err(denied("the server at that address does not know")),
    }
}

async fn read_key(stream: &mut TcpStream) -> io::Result<[u8; KEY_LENGTH]> {
    let mut shown = [0; KEY_LENGTH];
    stream.read_exact(&mut shown).await?;
    Ok(shown)
}

const KEY_BYTES: usize = 32;
/// Length of a key in hexadecimal digits.
const KEY_LENGTH: usize = 2 * KEY_BYTES;
const ADMITTED: u8 = b'y';
const REFUSED: u8 = b'n';
/// Size limit of the file, in bytes: more than a port and two keys take.
const LONGEST_FILE: u64 = 1024;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_no_such_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.hub");
        for text in ["", "{}", r#"{"port":1,"command":"","hub":""}"#] {
            fs::write(&path, text).unwrap();
            assert!(Keys::read(&path).is_err(), "{text}");
        }
        fs::write(&path, " ".repeat(2000)).unwrap();
        assert!(Keys::read(&path).is_err());
    }
}
