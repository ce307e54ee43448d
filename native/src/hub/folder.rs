//! Where the hubs of this user listen for its commands.

use std::{
    env, fs, io,
    os::unix::{
        fs::{DirBuilderExt as _, PermissionsExt as _},
        net::UnixStream,
    },
    path::{Path, PathBuf},
};

use crate::state;

/// `$XDG_RUNTIME_DIR/flylead`, which the XDG Base Directory Specification has for sockets; where there is none,
/// `flylead/run` in the folder of the person for state.
pub(super) fn of_this_user() -> Option<PathBuf> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|path| path.is_absolute());
    runtime
        .map(|path| path.join("flylead"))
        .or_else(|| Some(state::folder()?.join("flylead/run")))
}

/// Makes the folder, for this user alone.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// The name of this process's socket.
pub(super) fn socket(folder: &Path) -> PathBuf {
    folder.join(format!("{}{SUFFIX}", std::process::id()))
}

/// The sockets of all hubs, dead ones among them.
pub(super) fn sockets() -> Vec<PathBuf> {
    let listed = of_this_user().and_then(|folder| fs::read_dir(folder).ok());
    let paths = listed.into_iter().flatten().flatten();
    let mut paths: Vec<_> = paths.map(|entry| entry.path()).collect();
    let is_hub = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(SUFFIX));
    paths.retain(is_hub);
    paths.sort();
    paths.truncate(HUBS_LIMIT);
    paths
}

/// Removes the sockets of hubs that were killed.
pub(super) fn remove_the_dead() {
    for socket in sockets() {
        let connected = UnixStream::connect(&socket);
        if connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            // Another hub may have removed it meanwhile.
            let _ = fs::remove_file(socket);
        }
    }
}

const SUFFIX: &str = ".hub";
/// More hubs than anybody runs.
const HUBS_LIMIT: usize = 64;
