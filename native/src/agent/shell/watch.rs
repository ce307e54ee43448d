//! Watches the amount of data that a command writes.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Folder whose size is determined from time to time: the larger the folder, the longer that takes, and the more rarely
/// it is done.
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

    /// Returns the last known size. It is only counted up to a limit.
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

/// Returns the disk space of a file: a sparse file takes less than its length.
#[cfg(unix)]
fn space(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata) * 512
}

#[cfg(not(unix))]
fn space(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// Space counted for a name, so that empty files are limited, too.
const ENTRY: u64 = 256;
/// Factor between the time spent on watching and the pause after it: watching takes a tenth of a command's time.
const SHARE: u32 = 9;
const SHORTEST: Duration = Duration::from_millis(50);
