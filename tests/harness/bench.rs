//! What the benchmarks share.

use std::{env, path::PathBuf, process::exit};

/// The command of the same build as this program, or the one that `FLYLEAD` names.
#[must_use]
pub fn flylead() -> PathBuf {
    if let Some(path) = env::var_os("FLYLEAD") {
        return path.into();
    }
    let this = env::current_exe().unwrap_or_default();
    let path = this.with_file_name("flylead");
    if !path.exists() {
        fail("the flylead command is not built: run `cargo build --release -p flylead`");
    }
    path
}

/// Says why there is nothing to measure, and ends.
pub fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}
