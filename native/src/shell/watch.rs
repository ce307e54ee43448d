//! Watches how much a command writes.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// A folder whose size is known from time to time: the larger it is, the longer that takes, and the more rarely it is done.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    folder: Option<&'a Path>,
    bytes: u64,
    next: Instant,
}

impl<'a> Watch<'a> {
    pub(super) fn of(folder: Option<&'a Path>) -> Self {
        Self {
            folder,
            bytes: 0,
            next: Instant::now(),
        }
    }

    /// Returns the size, as far as it is known. It is not counted further than to a limit.
    pub(super) fn bytes(&mut self, limit: u64) -> u64 {
        let started = Instant::now();
        if let Some(folder) = self.folder.filter(|_| started >= self.next) {
            self.bytes = size(folder, limit);
            self.next = Instant::now() + started.elapsed() * SHARE + SHORTEST;
        }
        self.bytes
    }
}

fn size(folder: &Path, limit: u64) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            bytes += ENTRY + space(&metadata);
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            if bytes > limit {
                return bytes;
            }
        }
    }
    bytes
}

/// The space that a file takes: one with holes takes less than it is long.
#[cfg(unix)]
fn space(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn space(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// Space of a name, so that files without content are bounded too.
const ENTRY: u64 = 256;
/// Of the time that a command takes, a tenth is spent on watching it.
const SHARE: u32 = 9;
const SHORTEST: Duration = Duration::from_millis(50);
