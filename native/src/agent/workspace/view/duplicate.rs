//! Copies a workspace where no overlay can be mounted: up to a size limit, and with shared blocks if the disk supports
//! them.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
};

use rustix::fs::{AtFlags, CWD, Mode};

use super::{
    change::open,
    manifest::{Kind, Manifest},
};

/// Copies everything except sockets, pipes and devices. Repositories are shown in the copy by mounts, or copied, too.
///
/// # Errors
/// The workspace is too large, or cannot be read.
pub(super) fn copy(root: &Path, base: &Manifest, to: &Path, with_git: bool) -> io::Result<()> {
    copy_entries(root, base, to)?;
    for git in base.gits.iter().filter(|_| with_git) {
        let (from, to) = (root.join(git), to.join(git));
        match (fs::read_link(&from), from.is_dir()) {
            (Ok(target), _) => symlink(target, to)?,
            (Err(_), false) => drop(fs::copy(from, to)?),
            (Err(_), true) => {
                fs::create_dir(&to)?;
                copy_entries(&from, &Manifest::of(&from, Some(&[]))?, &to)?;
            }
        }
    }
    Ok(())
}

fn copy_entries(root: &Path, base: &Manifest, to: &Path) -> io::Result<()> {
    let bytes: u64 = base.entries.values().map(|stamp| stamp.size).sum();
    if bytes > LARGEST || base.entries.len() > MOST {
        return Err(io::Error::other(format!(
            "no overlay can be mounted here, so commands need a copy of the workspace, which is too large: {} files, {} MB; use a \
             smaller folder, or --sandbox none",
            base.entries.len(),
            bytes >> 20
        )));
    }
    for (path, stamp) in &base.entries {
        let (from, to) = (root.join(path), to.join(path));
        match &stamp.kind {
            Kind::Folder => fs::create_dir(&to)?,
            Kind::Link(target) => symlink(OsStr::from_bytes(target), &to)?,
            Kind::Special => {}
            // One that cannot be read is not there for the command either.
            Kind::File => match open(&from) {
                Ok(file) => copy_file(&file, &to, stamp.mode)?,
                Err(_) => drop(File::create_new(&to)?),
            },
        }
        if stamp.kind == Kind::File {
            rustix::fs::utimensat(CWD, &to, &stamp.times(), AtFlags::SYMLINK_NOFOLLOW)?;
        }
    }
    // A folder that may not be written could not have been filled.
    for (path, stamp) in base.entries.iter().rev() {
        if matches!(stamp.kind, Kind::Folder) {
            rustix::fs::chmod(to.join(path), Mode::from_raw_mode(stamp.mode))?;
        }
    }
    Ok(())
}

/// Copies a file with its mode, with shared blocks if the disk supports them.
pub(super) fn copy_file(from: &File, to: &Path, mode: u32) -> io::Result<()> {
    let copy = File::create_new(to)?;
    if rustix::fs::ioctl_ficlone(&copy, from).is_err() {
        io::copy(&mut &*from, &mut &copy)?;
    }
    Ok(rustix::fs::fchmod(&copy, Mode::from_raw_mode(mode))?)
}

const LARGEST: u64 = 2 << 30;
const MOST: usize = 200_000;
