//! Helpers shared by the benchmarks.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::exit,
};

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

/// The command of another build, which `FLYLEAD_BEFORE` names, to be measured in turn with it.
#[must_use]
pub fn flylead_before() -> Option<PathBuf> {
    env::var_os("FLYLEAD_BEFORE").map(PathBuf::from)
}

/// Says why there is nothing to measure, and ends.
pub fn fail(message: &str) -> ! {
    eprintln!("{message}");
    exit(1)
}

/// Returns the kernel's figure for a process's memory, in kB: `VmRSS` is the resident size now,
/// `VmHWM` its maximum (proc(5), `/proc/PID/status`). Zero if it is unknown.
#[must_use]
pub fn kilobytes(process: u32, field: &str) -> u64 {
    number_in(Path::new(&format!("/proc/{process}/status")), field)
}

/// Returns the memory available to new programs, in kB (proc(5), `/proc/meminfo`). Zero if it is
/// unknown.
#[must_use]
pub fn available_memory() -> u64 {
    number_in(Path::new("/proc/meminfo"), "MemAvailable")
}

fn number_in(file: &Path, field: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let found = fields.find(|(name, _)| *name == field);
    found
        .and_then(|(_, value)| value.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
