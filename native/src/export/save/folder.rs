//! Files of one folder that several programs may write at the same time.

use std::{
    io::{self, Read as _},
    process,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use cap_std::fs::{Dir, File, OpenOptions};

/// Exclusive right of one program to create, replace and sweep away files of a folder.
#[derive(Debug)]
pub(in crate::export) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock, for at most ten seconds.
    pub(in crate::export) fn take(folder: &Dir) -> io::Result<Self> {
        let file = folder.open_with(LOCK, OpenOptions::new().create(true).append(true))?;
        let handle = file.try_clone()?.into_std();
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            match handle.try_lock() {
                Err(std::fs::TryLockError::WouldBlock) if Instant::now() < end => {
                    thread::sleep(LOCK_PAUSE);
                }
                Err(std::fs::TryLockError::WouldBlock) => {
                    let message =
                        "another program has been saving a log of this run for ten seconds";
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
                }
                // Not every file system has locks.
                Ok(()) | Err(std::fs::TryLockError::Error(_)) => return Ok(Self { _file: file }),
            }
        }
    }
}

/// Creates a hidden file with a unique name, which will be renamed to `name`. The lock prevents a sweep until the file
/// is held.
pub(in crate::export) fn create(folder: &Dir, name: &str, _: &Lock) -> io::Result<(String, File)> {
    loop {
        let part = part_name(name);
        match folder.open_with(&part, OpenOptions::new().write(true).create_new(true)) {
            // Left behind by a program that had the same process ID.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                // Held while the file is open, so that no sweep removes it. Some file systems have no locks; nothing is
                // swept there either.
                let _ = file.try_clone()?.into_std().try_lock();
                return Ok((part, file));
            }
        }
    }
}

/// Removes files that killed programs left behind: no program holds them any more.
pub(super) fn sweep(folder: &Dir, _: &Lock) -> io::Result<()> {
    for entry in folder.entries()? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| is_part(name)) else {
            continue;
        };
        // A file that has just become the log, or that another program holds, is not swept.
        if folder
            .open(name)
            .is_ok_and(|file| file.into_std().try_lock().is_ok())
        {
            let _ = folder.remove_file(name);
        }
    }
    Ok(())
}

/// Returns an unused name for a copy of `file`: `name`, unless that is the file itself, then `name.1`, `name.2` and so
/// on. The flag is true if the newest copy already has the same bytes, so that no other copy is needed.
pub(super) fn copy_name(folder: &Dir, name: &str, file: &str) -> io::Result<(String, bool)> {
    let first = u32::from(name == file);
    let nth = |number| match number {
        0 => name.to_owned(),
        number => format!("{name}.{number}"),
    };
    // A link of the user that leads nowhere counts as a used name.
    let is_used = |number| folder.symlink_metadata(nth(number)).is_ok();
    let unused = first_unused(first, is_used);
    match unused.checked_sub(1).filter(|newest| *newest >= first) {
        Some(newest) if is_same(folder, &nth(newest), file).unwrap_or(false) => {
            Ok((nth(newest), true))
        }
        _ => Ok((nth(unused), false)),
    }
}

/// Returns the number after a used one, or the first number; takes few steps in folders with thousands of copies.
fn first_unused(first: u32, is_used: impl Fn(u32) -> bool) -> u32 {
    let mut step = 1;
    while is_used(first + step - 1) {
        step *= 2;
    }
    let (mut used, mut unused) = (first + step / 2, first + step - 1);
    while used < unused {
        let middle = used + (unused - used) / 2;
        match is_used(middle) {
            true => used = middle + 1,
            false => unused = middle,
        }
    }
    unused
}

/// Gives the file a second name. Copies the file where links are unavailable, as on FAT.
pub(super) fn add_second_name(
    folder: &Dir,
    name: &str,
    second: &str,
    lock: &Lock,
) -> io::Result<()> {
    if folder.hard_link(name, folder, second).is_ok() {
        return Ok(());
    }
    let (part, mut copy) = create(folder, second, lock)?;
    let copied = io::copy(&mut folder.open(name)?, &mut copy)
        .and_then(|_| copy.sync_all())
        .and_then(|()| folder.rename(&part, folder, second));
    if copied.is_err() {
        let _ = folder.remove_file(&part);
    }
    copied
}

/// Returns true if two files have the same bytes.
pub(super) fn is_same(folder: &Dir, one: &str, other: &str) -> io::Result<bool> {
    let mut one = folder.open(one)?;
    let mut other = folder.open(other)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; BLOCK], vec![0; BLOCK]);
    loop {
        let length = one.read(&mut left)?;
        if length == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..length])?;
        if left[..length] != right[..length] {
            return Ok(false);
        }
    }
}

/// Writes the folder to disk, which completes a rename. The handle itself is only a starting point for paths.
#[cfg(unix)]
pub(in crate::export) fn sync(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}

/// Does nothing: Windows writes its folders itself.
#[cfg(not(unix))]
pub(in crate::export) fn sync(_folder: &Dir) -> io::Result<()> {
    Ok(())
}

/// Returns a name such as `.flylead-log.csv.4711-0.tmp`: hidden, in the same folder, and unique.
fn part_name(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let id = process::id();
    format!("{PART_START}{name}.{id}-{count}{PART_END}")
}

fn is_part(name: &str) -> bool {
    let numbers = name
        .strip_prefix(PART_START)
        .and_then(|name| name.strip_suffix(PART_END))
        .and_then(|name| name.rsplit_once('.')?.1.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(id, count)| is_number(id) && is_number(count))
}

const PART_START: &str = ".flylead-";
const PART_END: &str = ".tmp";
const LOCK: &str = ".lock";
/// Time to wait for a lock, far longer than a save takes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// Size of a block, in bytes.
const BLOCK: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_that_is_unused_is_found_in_few_steps() {
        for first in [0, 1] {
            for unused in (first..40).chain([100_000]) {
                let asked = std::cell::Cell::new(0);
                let is_used = |number| {
                    asked.set(asked.get() + 1);
                    number < unused
                };
                assert_eq!(first_unused(first, is_used), unused);
                assert!(asked.get() < 40);
            }
        }
    }

    #[test]
    fn only_our_own_unfinished_files_are_known_as_such() {
        assert!(is_part(&part_name("log.csv")));
        for name in [
            ".mine.tmp",
            ".log.csv.tmp",
            ".flylead-notes.tmp",
            ".flylead-a.1-x.tmp",
        ] {
            assert!(!is_part(name), "{name}");
        }
    }
}
