//! A Unix socket that takes no one's place and lets no one else in.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

/// A listening socket that removes its own file, and only that, when it is dropped.
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    path: PathBuf,
    identity: (u64, u64),
}

impl Socket {
    /// Listens at `path`, for this user alone. A socket there that nobody listens on any more is replaced; anything
    /// else there is an error.
    pub(crate) async fn bind(path: &Path) -> io::Result<Self> {
        make_room(path).await?;
        // Short, for the system takes no path of more than 107 bytes (unix(7), "Address format").
        let draft = path.with_file_name(format!(".{:x}", std::process::id()));
        // Nobody else has this number while this process runs; what it left when it had it before is dead.
        let _ = fs::remove_file(&draft);
        let listener = UnixListener::bind(&draft)?;
        // Linked under its name only when nobody else can open it, and only if the name is still free.
        let placed = fs::set_permissions(&draft, fs::Permissions::from_mode(0o600))
            .and_then(|()| fs::hard_link(&draft, path))
            .and_then(|()| identity(path));
        fs::remove_file(&draft)?;
        Ok(Self {
            listener,
            path: path.into(),
            identity: placed?,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            // Left behind it would be a dead socket, which the next server replaces.
            let _ = fs::remove_file(&self.path);
        }
    }
}

async fn make_room(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let in_use = |what: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, what));
    if !found.file_type().is_socket() {
        return in_use("there is a file of that name that is no socket; it was left as it is");
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => in_use("another server listens there"),
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}
