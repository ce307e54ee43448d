//! Folder in which the hubs of this user listen for its commands.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use super::door;
use crate::os::state;

/// Returns `$XDG_RUNTIME_DIR/flylead`, which the XDG Base Directory Specification intends for sockets; if the variable
/// is unset, `flylead/run` in the user's folder for state.
pub(crate) fn of_this_user() -> Option<PathBuf> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|path| path.is_absolute());
    runtime
        .map(|path| path.join("flylead"))
        .or_else(|| Some(state::folder()?.join("flylead/run")))
}

/// Creates the folder, accessible only to this user.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
    }
    // Other users cannot read the user's folder for state.
    #[cfg(not(unix))]
    fs::create_dir_all(folder)
}

/// Returns the path of this process's door.
pub(crate) fn door(folder: &Path) -> PathBuf {
    folder.join(format!("{}{SUFFIX}", std::process::id()))
}

/// Returns the paths of the doors of all hubs, including dead ones.
pub(crate) fn doors() -> Vec<PathBuf> {
    let listed = of_this_user().and_then(|folder| fs::read_dir(folder).ok());
    let paths = listed.into_iter().flatten().flatten();
    let mut paths: Vec<_> = paths.map(|entry| entry.path()).collect();
    let is_hub = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(SUFFIX));
    paths.retain(is_hub);
    paths.sort();
    paths.truncate(HUBS_LIMIT);
    paths
}

/// Removes leftovers of hubs that were killed.
pub(crate) fn remove_the_dead() {
    for door in doors() {
        if door::is_dead(&door) {
            // Another hub may have removed it meanwhile.
            let _ = fs::remove_file(door);
        }
    }
}

const SUFFIX: &str = ".hub";
/// Limit of hubs, more than anybody runs.
const HUBS_LIMIT: usize = 64;
