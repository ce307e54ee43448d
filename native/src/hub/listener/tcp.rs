//! The hub's side of a door on loopback TCP.

use std::{
    fs, io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

use tokio::net::{TcpListener, TcpStream};

use crate::link::transport::hub::keys::Keys;

pub(in crate::hub) struct TcpDoor {
    listener: TcpListener,
    path: PathBuf,
    keys: Keys,
}

impl TcpDoor {
    /// Listens at a free port, and writes the file.
    pub(in crate::hub) async fn open(path: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let keys = Keys::new(listener.local_addr()?.port());
        keys.write(path)?;
        Ok(Self {
            listener,
            path: path.into(),
            keys,
        })
    }

    pub(in crate::hub) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::hub) const fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(in crate::hub) async fn next(&self) -> io::Result<TcpStream> {
        Ok(self.listener.accept().await?.0)
    }
}

impl Drop for TcpDoor {
    fn drop(&mut self) {
        if Keys::read(&self.path).is_ok_and(|keys| keys == self.keys) {
            // A leftover file would name a dead hub until the next hub removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tempfile::TempDir;

    use super::*;
    use crate::link::transport::hub::keys::{admit, enter};

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

    /// Replaces a key in the file by zeros.
    fn replace_key(path: &Path, of: &str) {
        let text = fs::read_to_string(path).unwrap();
        let mut keys: Value = serde_json::from_str(&text).unwrap();
        let length = keys[of].as_str().unwrap().len();
        keys[of] = "0".repeat(length).into();
        fs::write(path, keys.to_string()).unwrap();
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
        replace_key(&path, "command");
        let (entered, admitted) = meet(&path, &door).await;
        assert_eq!(
            admitted.unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
        let told = entered.unwrap_err().to_string();
        let expected = format!("the hub refused the key in {}", path.display());
        assert_eq!(told, expected);
        // The file of another hub is left alone.
        drop(door);
        assert!(path.exists());
    }

    #[tokio::test]
    async fn a_stranger_who_listens_is_told_nothing() {
        let (_folder, path, door) = door().await;
        replace_key(&path, "hub");
        let (entered, _) = meet(&path, &door).await;
        let told = entered.unwrap_err().to_string();
        let expected = "the server at that address does not know the key in";
        assert!(told.starts_with(expected), "{told}");
    }
}
