//! Folders at which the system has mounted file systems.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::os::disk;

/// Lists the folders that may be drives of boards.
pub(super) fn folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        // The first two letters are for floppy drives, which would cause a wait.
        let letters =
            (b'C'..=b'Z').map(|letter| PathBuf::from(format!("{}:\\", char::from(letter))));
        return letters.collect();
    }
    match disk::read_text(Path::new("/proc/mounts"), MOUNTS_LIMIT) {
        Ok(mounts) => mounted(&mounts),
        Err(_) => below(Path::new("/Volumes")),
    }
}

/// Lists the mount points of FAT file systems (proc_pid_mounts(5)), the only kind that boot loaders provide: mounted by
/// the kernel, by a program (FUSE), or by the Windows host (`drvfs`, `9p`). The last two kinds may be something else,
/// and slow.
fn mounted(mounts: &str) -> Vec<PathBuf> {
    let points = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        matches!(kind, "vfat" | "msdos" | "fuseblk" | "drvfs" | "9p")
            .then(|| PathBuf::from(unescaped(point)))
    });
    points.collect()
}

/// Decodes a mount point, in which blanks, tabs and backslashes are octal numbers, as in getmntent(3).
fn unescaped(point: &str) -> OsString {
    let mut parts = point.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let number = part
            .get(..3)
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match number {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[3..]);
            }
            None => {
                bytes.push(b'\\');
                bytes.extend(part.as_bytes());
            }
        }
    }
    as_name(bytes)
}

#[cfg(unix)]
fn as_name(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn as_name(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

fn below(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Size limit of the list of mounted file systems, in bytes.
const MOUNTS_LIMIT: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_drives_that_could_be_a_board_are_looked_at() {
        let mounts = "/dev/sda1 / ext4 rw 0 0\n\
            server:/home /home nfs4 rw 0 0\n\
            /dev/sdb1 /media/me/RPI-RP2 vfat rw 0 0\n\
            /dev/sdc1 /run/media/me/MY\\040BOARD\\134 vfat rw 0 0\n\
            broken\n";
        let found = mounted(mounts);
        let expected = ["/media/me/RPI-RP2", "/run/media/me/MY BOARD\\"];
        assert_eq!(found, expected.map(PathBuf::from));
    }
}
