//! A door on loopback TCP, at which anybody on this computer can call.
//!
//! A file that only this user reads has two keys: a command shows one, and the hub the other. So a hub lets in nobody else,
//! and no command talks to a stranger who listens where a hub was that is gone.

use std::{
    fs, io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::{disk, random_hex};

pub(super) struct TcpDoor {
    listener: TcpListener,
    path: PathBuf,
    keys: Keys,
}

/// What is in the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Keys {
    port: u16,
    /// What a command shows, in hexadecimal digits.
    command: String,
    /// What the hub shows.
    hub: String,
}

impl TcpDoor {
    /// Listens at a port that is free, and writes the file.
    pub(super) async fn open(path: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let keys = Keys {
            port: listener.local_addr()?.port(),
            command: random_hex::<KEY_BYTES>(),
            hub: random_hex::<KEY_BYTES>(),
        };
        disk::replace_private(path, &serde_json::to_vec(&keys)?)?;
        Ok(Self {
            listener,
            path: path.into(),
            keys,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(super) async fn next(&self) -> io::Result<TcpStream> {
        Ok(self.listener.accept().await?.0)
    }
}

impl Drop for TcpDoor {
    fn drop(&mut self) {
        if Keys::read(&self.path).is_ok_and(|keys| keys == self.keys) {
            // Left behind it would name a hub that is gone, and be removed by the next one.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Keys {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let text = disk::read_text(path, LONGEST_FILE)?;
        let keys: Self = serde_json::from_str(&text)?;
        let are_whole = [&keys.command, &keys.hub].map(|key| key.len() == KEY_LENGTH);
        match are_whole {
            [true, true] => Ok(keys),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    pub(super) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }
}

/// The hub's side: lets in who shows the command's key, and shows its own.
pub(super) async fn admit(stream: &mut TcpStream, keys: &Keys) -> io::Result<()> {
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

/// A command's side.
pub(super) async fn enter(path: &Path) -> io::Result<TcpStream> {
    let keys = Keys::read(path)?;
    let mut stream = TcpStream::connect(keys.address()).await?;
    stream.set_nodelay(true)?;
    stream.write_all(keys.command.as_bytes()).await?;
    let denied = |why: &str| {
        let message = format!("{why} the key in {}", path.display());
        io::Error::new(io::ErrorKind::PermissionDenied, message)
    };
    if stream.read_u8().await? != ADMITTED {
        return Err(denied("the hub does not take"));
    }
    let shown = read_key(&mut stream).await?;
    match bool::from(shown.ct_eq(keys.hub.as_bytes())) {
        true => Ok(stream),
        false => Err(denied("who listens there does not know")),
    }
}

async fn read_key(stream: &mut TcpStream) -> io::Result<[u8; KEY_LENGTH]> {
    let mut shown = [0; KEY_LENGTH];
    stream.read_exact(&mut shown).await?;
    Ok(shown)
}

const KEY_BYTES: usize = 32;
/// In hexadecimal digits.
const KEY_LENGTH: usize = 2 * KEY_BYTES;
const ADMITTED: u8 = b'y';
const REFUSED: u8 = b'n';
/// In bytes: more than a port and two keys take.
const LONGEST_FILE: u64 = 1024;

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    async fn door() -> (TempDir, PathBuf, TcpDoor) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.hub");
        let door = TcpDoor::open(&path).await.unwrap();
        (folder, path, door)
    }

    async fn meet(path: &Path, door: &TcpDoor) -> (io::Result<TcpStream>, io::Result<()>) {
        tokio::join!(enter(path), async {
            let mut stream = door.next().await?;
            admit(&mut stream, door.keys()).await
        })
    }

    fn change(path: &Path, change: impl FnOnce(&mut Keys)) {
        let mut keys = Keys::read(path).unwrap();
        change(&mut keys);
        fs::write(path, serde_json::to_vec(&keys).unwrap()).unwrap();
    }

    #[tokio::test]
    async fn a_command_comes_in_by_a_file_that_goes_with_the_hub() {
        let (_folder, path, door) = door().await;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let (entered, admitted) = meet(&path, &door).await;
        admitted.unwrap();
        entered.unwrap();
        drop(door);
        assert!(!path.exists());
        assert!(enter(&path).await.is_err());
    }

    #[tokio::test]
    async fn who_has_another_key_is_refused_and_told() {
        let (_folder, path, door) = door().await;
        change(&path, |keys| keys.command = "0".repeat(KEY_LENGTH));
        let (entered, admitted) = meet(&path, &door).await;
        assert_eq!(
            admitted.unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        let told = entered.unwrap_err().to_string();
        let expected = format!("the hub does not take the key in {}", path.display());
        assert_eq!(told, expected);
        // The file of another hub is left alone.
        drop(door);
        assert!(path.exists());
    }

    #[tokio::test]
    async fn a_stranger_who_listens_is_told_nothing() {
        let (_folder, path, door) = door().await;
        change(&path, |keys| keys.hub = "0".repeat(KEY_LENGTH));
        let (entered, _) = meet(&path, &door).await;
        let told = entered.unwrap_err().to_string();
        let expected = "who listens there does not know the key in";
        assert!(told.starts_with(expected), "{told}");
    }

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
