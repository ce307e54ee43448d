//! Commands that see other folders than ours: a drive that is plugged in, a folder that is empty.

use std::{ffi::OsStr, path::Path, process::Command};

use super::setup::command;

/// Returns a command that finds each of these folders in place of another one, and is otherwise like any other.
///
/// # Panics
///
/// When `unshare` is not there, saying what to do.
#[must_use]
pub fn with_folders(program: impl AsRef<OsStr>, folders: &[(&Path, &Path)]) -> Command {
    let mut view = Command::new(command("unshare"));
    if !rustix::process::geteuid().is_root() {
        view.args(["--user", "--map-root-user"]);
    }
    view.args(["--mount", "--", "sh", "-ec", BIND, "view"]);
    for (shown, place) in folders {
        view.arg(shown).arg(place);
    }
    view.arg("--").arg(program);
    view
}

const BIND: &str =
    r#"while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done; shift; exec "$@""#;
