//! Requirements of the tests on their machine.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The Python environment with `micropython` and `mpremote`, `tests/.venv`.
///
/// # Panics
///
/// When it is not there, saying what to do.
#[must_use]
pub fn venv() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv");
    need(&folder.join("bin/micropython"));
    folder
}

/// The Python environment with labgrid, `tests/.venv-package`.
///
/// # Panics
///
/// When it is not there, saying what to do.
#[must_use]
pub fn labgrid_venv() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv-package");
    need(&folder.join("bin/labgrid-client"));
    folder
}

/// A program on the `PATH`.
///
/// # Panics
///
/// When it is not there, saying what to do.
#[must_use]
pub fn command(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| missing(name))
}

/// A file that must exist.
pub(in crate::boards) fn need(file: &Path) -> PathBuf {
    if !file.exists() {
        missing(&file.display().to_string());
    }
    file.to_owned()
}

fn missing(what: &str) -> ! {
    panic!("{what} is missing, and the tests with real boards need it: run `cargo xtask setup`")
}
