//! Folders for data that a program keeps between two runs.

use std::{env, path::PathBuf};

/// Returns the user's folder for state: `$XDG_STATE_HOME`, or `~/.local/state` as in the XDG Base Directory
/// Specification; `~/Library/Application Support` on macOS; `%LOCALAPPDATA%` on Windows. A relative path is ignored, as
/// the specification demands. `None` if the environment names no folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    person("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")
}

/// Returns the user's folder for data made by programs: `$XDG_DATA_HOME`, or `~/.local/share`, by the same rules;
/// `%APPDATA%` on Windows.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    person("XDG_DATA_HOME", ".local/share", "APPDATA")
}

/// Returns the user's folder for settings: `$XDG_CONFIG_HOME`, or `~/.config`, by the same rules; `%APPDATA%` on
/// Windows.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    person("XDG_CONFIG_HOME", ".config", "APPDATA")
}

/// Returns the user's folder for caches: `$XDG_CACHE_HOME`, or `~/.cache`, by the same rules; `~/Library/Caches` on
/// macOS, `%LOCALAPPDATA%` on Windows.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let usual = if cfg!(target_os = "macos") {
        "Library/Caches"
    } else {
        ".cache"
    };
    match cfg!(windows) {
        true => absolute("LOCALAPPDATA"),
        false => absolute("XDG_CACHE_HOME").or_else(|| Some(home()?.join(usual))),
    }
}

fn person(variable: &str, usual: &str, on_windows: &str) -> Option<PathBuf> {
    if cfg!(windows) {
        return absolute(on_windows);
    }
    let usual = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        usual
    };
    absolute(variable).or_else(|| Some(home()?.join(usual)))
}

/// Returns the user's home folder, as the environment names it.
#[must_use]
pub fn home() -> Option<PathBuf> {
    absolute(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
