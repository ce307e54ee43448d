//! A Unix socket that replaces no other server's, and that only this user can open.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use tokio::{
    net::{UnixListener, UnixStream},
    time::{Duration, Instant, sleep},
};

/// Listening socket that removes its own file, and only that, when it is dropped.
pub(crate) struct Socket {
    pub(crate) listener: UnixListener,
    path: PathBuf,
    identity: (u64, u64),
}

impl Socket {
    /// Listens at `path`, for this user alone. A dead socket there is replaced; anything else there is an error.
    pub(crate) async fn bind(path: &Path) -> io::Result<Self> {
        // Another server that found the same dead socket would remove the one placed here.
        let _lock = lock(path).await?;
        make_room(path).await?;
        // A short name, because the system takes no path of more than 107 bytes (unix(7), "Address format").
        let draft = path.with_file_name(format!(".{:x}", std::process::id()));
        // This process id is unique while the process runs; a leftover of an earlier process with this id is dead.
        let _ = fs::remove_file(&draft);
        let listener = UnixListener::bind(&draft)?;
        // Linked to its name only once it is inaccessible to other users, and only if the name is still free.
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
            // A leftover is a dead socket, which the next server replaces.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Locks the folder of a socket until the file is dropped. The folder itself is locked, so that no lock file is left in
/// it.
async fn lock(path: &Path) -> io::Result<File> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new(".")))?;
    let give_up = Instant::now() + LOCK_TIMEOUT;
    loop {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if Instant::now() < give_up => sleep(LOCK_PAUSE).await,
            Err(Errno::WOULDBLOCK) => {
                let what = "another program keeps the folder of the socket locked";
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            // Some network file systems cannot lock a folder.
            Err(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::INVAL) | Ok(()) => {
                return Ok(folder);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn make_room(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let in_use = |what: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, what));
    if !found.file_type().is_socket() {
        return in_use("there is a file of that name that is not a socket; it was left unchanged");
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

/// A server holds the lock for well under a second.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use std::{sync::Barrier, thread};

    use tokio::runtime;

    use super::*;

    /// Starts several servers at one path simultaneously, each in a thread of its own, and returns those that listen.
    fn start_all(path: &Path) -> Vec<(Socket, runtime::Runtime)> {
        let together = Barrier::new(SERVERS);
        let bind = || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap();
            together.wait();
            let bound = runtime.block_on(Socket::bind(path));
            // A refused server must have found the one that listens.
            let is_told = |it: &io::Error| it.to_string().contains("another server listens there");
            assert!(
                bound.as_ref().err().is_none_or(is_told),
                "{:?}",
                bound.err()
            );
            bound.ok().map(|socket| (socket, runtime))
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..SERVERS).map(|_| scope.spawn(bind)).collect();
            let bound = threads.into_iter().map(|it| it.join().unwrap());
            bound.flatten().collect()
        })
    }

    #[test]
    fn of_servers_that_find_one_dead_socket_exactly_one_listens() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..ROUNDS {
            let path = folder.path().join(format!("{round}"));
            drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
            let listening = start_all(&path);
            assert_eq!(listening.len(), 1, "round {round}");
            assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    const SERVERS: usize = 4;
    const ROUNDS: usize = 50;
}
