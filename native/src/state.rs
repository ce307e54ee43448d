//! Place for data that a program keeps between two runs.

use std::{env, path::PathBuf};

/// The folder of the person for that: `$XDG_STATE_HOME`, or `~/.local/state` as the XDG Base Directory Specification has
/// it; `~/Library/Application Support` on macOS; `%LOCALAPPDATA%` on Windows. A relative path counts as none, which the
/// specification asks for. `None`: the environment names no folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    person("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA")
}

/// The folder of the person for data that programs make for them: `$XDG_DATA_HOME`, or `~/.local/share`, by the same
/// rules; `%APPDATA%` on Windows.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    person("XDG_DATA_HOME", ".local/share", "APPDATA")
}

/// The folder of the person for settings: `$XDG_CONFIG_HOME`, or `~/.config`, by the same rules; `%APPDATA%` on Windows.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    person("XDG_CONFIG_HOME", ".config", "APPDATA")
}

/// The folder of the person for what can be had again: `$XDG_CACHE_HOME`, or `~/.cache`, by the same rules; `~/Library/Caches` on
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
