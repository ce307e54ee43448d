//! Where a program keeps what it has to remember between two runs.

use std::{env, path::PathBuf};

/// The folder of the person for that: `$XDG_STATE_HOME`, or `~/.local/state` as the XDG Base Directory Specification has
/// it; `~/Library/Application Support` on macOS; `%LOCALAPPDATA%` on Windows. A relative path counts as none, which the
/// specification asks for. `None`: the environment names no folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    if cfg!(windows) {
        return absolute("LOCALAPPDATA");
    }
    let usual = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".local/state"
    };
    absolute("XDG_STATE_HOME").or_else(|| Some(home()?.join(usual)))
}

/// The person's home folder, as the environment names it.
#[must_use]
pub fn home() -> Option<PathBuf> {
    absolute(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
