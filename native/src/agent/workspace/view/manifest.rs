//! State of a workspace at one moment: every path with the properties that distinguish its states.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use serde::{Deserialize, Serialize};

use super::super::runs::GIT;

/// All paths of a folder, relative to it, except those inside a `.git`.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) entries: BTreeMap<PathBuf, Stamp>,
    /// Every `.git`: a folder, a link, or a file that names one.
    pub(super) gits: Vec<PathBuf>,
    /// True if another user or group owns a part of it.
    pub(super) is_shared: bool,
}

/// State of one path, without following links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) kind: Kind,
    pub(super) mode: u32,
    inode: u64,
    pub(super) size: u64,
    modified: i64,
    modified_part: u64,
    changed: i64,
    changed_part: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    File,
    Folder,
    /// A link with its target.
    Link(Vec<u8>),
    /// A socket, a pipe or a device.
    Special,
}

impl Manifest {
    /// Reads a folder. Folders that cannot be opened count as empty, as they do for a command. With `known`, any other
    /// `.git` counts as an ordinary folder.
    pub(super) fn of(root: &Path, known: Option<&[PathBuf]>) -> io::Result<Self> {
        let top = open_own(CWD, root.as_os_str())?;
        let own = (
            rustix::process::geteuid().as_raw(),
            rustix::process::getegid().as_raw(),
        );
        let mut part = Part::default();
        Walk { known, own }.folder(&top, (Path::new(""), 0), &mut part)?;
        Ok(Self {
            // They are in order, so that nothing is sorted: to compare paths takes longer than to look at files.
            entries: part.entries.into_iter().collect(),
            gits: part.gits,
            is_shared: part.is_shared,
        })
    }

    /// Returns the entries below a path, without the path itself.
    pub(super) fn below<'a>(
        &'a self,
        path: &'a Path,
    ) -> impl Iterator<Item = (&'a PathBuf, &'a Stamp)> {
        let from = self
            .entries
            .range::<Path, _>((std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded));
        from.take_while(move |(below, _)| below.starts_with(path))
    }
}

/// Walk through a folder on all processors, as most of its time is spent in system calls.
struct Walk<'a> {
    known: Option<&'a [PathBuf]>,
    /// User and group of this process.
    own: (u32, u32),
}

/// Findings of a walk, sorted by path.
#[derive(Default)]
struct Part {
    entries: Vec<(PathBuf, Stamp)>,
    gits: Vec<PathBuf>,
    is_shared: bool,
}

impl Walk<'_> {
    fn folder(
        &self,
        folder: &OwnedFd,
        (path, depth): (&Path, usize),
        part: &mut Part,
    ) -> io::Result<()> {
        self.names(folder, &names(folder)?, (path, depth), part)
    }

    fn names(
        &self,
        folder: &OwnedFd,
        names: &[Vec<u8>],
        (path, depth): (&Path, usize),
        part: &mut Part,
    ) -> io::Result<()> {
        if names.len() <= ALONE {
            for name in names {
                self.name(folder, OsStr::from_bytes(name), (path, depth), part)?;
            }
            return Ok(());
        }
        let (first, last) = names.split_at(names.len() / 2);
        let mut rest = Part::default();
        let (first, last) = rayon::join(
            || self.names(folder, first, (path, depth), part),
            || self.names(folder, last, (path, depth), &mut rest),
        );
        first?;
        last?;
        part.extend(rest);
        Ok(())
    }

    fn name(
        &self,
        folder: &OwnedFd,
        name: &OsStr,
        (above, depth): (&Path, usize),
        part: &mut Part,
    ) -> io::Result<()> {
        // It may be gone by now.
        let Ok(stat) = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return Ok(());
        };
        let path = above.join(name);
        if is_git(name) && self.known.is_none_or(|known| known.contains(&path)) {
            part.gits.push(path);
            return Ok(());
        }
        part.is_shared |= (stat.st_uid, stat.st_gid) != self.own;
        let stamp = Stamp::of(&stat, || target(folder, name));
        if stamp.kind != Kind::Folder || depth >= DEEPEST {
            part.entries.push((path, stamp));
            return Ok(());
        }
        part.entries.push((path.clone(), stamp));
        match open_folder(folder, name) {
            Ok(below) => self.folder(&below, (&path, depth + 1), part),
            Err(_) => Ok(()),
        }
    }
}

impl Part {
    fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.gits.extend(other.gits);
        self.is_shared |= other.is_shared;
    }
}

impl Stamp {
    pub(super) fn of(stat: &Stat, target: impl FnOnce() -> Option<OsString>) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link(target().unwrap_or_default().into_vec()),
            _ => Kind::Special,
        };
        Self {
            kind,
            mode: stat.st_mode & 0o7777,
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: stat.st_mtime,
            modified_part: stat.st_mtime_nsec,
            changed: stat.st_ctime,
            changed_part: stat.st_ctime_nsec,
        }
    }

    /// Inspects a name in a folder; `None` if it does not exist.
    pub(super) fn at(folder: impl AsFd, name: &OsStr) -> io::Result<Option<Self>> {
        match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Self::of(&stat, || target(folder, name)))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true if the entry is unchanged since; for a folder, if it still is a folder with this mode.
    pub(super) fn is_still(&self, now: &Self) -> bool {
        match self.kind {
            Kind::Folder => now.kind == Kind::Folder && now.mode == self.mode,
            _ => self == now,
        }
    }

    /// Returns true if the file and its content are the same, even if it was moved: moving changes only the time of the
    /// last change.
    pub(super) fn was_moved_to(&self, now: &Self) -> bool {
        let parts = |it: &Self| (it.mode, it.size, it.modified, it.modified_part);
        // A link has nothing but its target.
        let is_link = matches!(self.kind, Kind::Link(_));
        self.kind == now.kind && (is_link || parts(self) == parts(now))
    }

    /// Returns the times of the content, to set them on a copy.
    pub(super) fn times(&self) -> rustix::fs::Timestamps {
        let time = rustix::fs::Timespec {
            tv_sec: self.modified,
            tv_nsec: self.modified_part as _,
        };
        rustix::fs::Timestamps {
            last_access: time,
            last_modification: time,
        }
    }
}

/// Returns every `.git` of a folder. Only names are read, which takes a tenth of a [`Manifest`]'s time.
pub(super) fn gits(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let top = open_own(CWD, root.as_os_str())?;
    gits_below(&top, (Path::new(""), 0), &mut found)?;
    Ok(found)
}

fn gits_below(
    folder: &OwnedFd,
    (path, depth): (&Path, usize),
    found: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        match entry.file_type() {
            _ if name == "." || name == ".." => {}
            _ if is_git(name) => found.push(path.join(name)),
            // Some disks do not tell the kind with the name (readdir(3), `DT_UNKNOWN`).
            FileType::Directory | FileType::Unknown => folders.push(name.to_owned()),
            _ => {}
        }
    }
    if depth >= DEEPEST {
        return Ok(());
    }
    for name in folders {
        if let Ok(below) = open_folder(folder, &name) {
            gits_below(&below, (&path.join(&name), depth + 1), found)?;
        }
    }
    Ok(())
}

/// Returns the names in a folder, sorted as in paths.
fn names(folder: &OwnedFd) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns true for a name that git obeys, in any case, as some disks do.
pub(super) fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(GIT)
}

pub(super) fn target(folder: impl AsFd, name: &OsStr) -> Option<OsString> {
    let target = rustix::fs::readlinkat(folder, name, Vec::new()).ok()?;
    Some(OsString::from_vec(target.into_bytes()))
}

/// Opens a folder without following a link.
pub(super) fn open_folder(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

/// Opens a folder of the agent whose permissions a command may have removed.
pub(super) fn open_own(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    match open_folder(&folder, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                let mode = Mode::from_raw_mode(stat.st_mode) | Mode::RWXU;
                rustix::fs::chmodat(&folder, name, mode, AtFlags::empty())?;
            }
            open_folder(folder, name)
        }
        opened => opened,
    }
}

/// Removes a folder with everything in it, regardless of the modes of its folders. Links are not followed.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    let Some((above, name)) = path.parent().zip(path.file_name()) else {
        return Ok(());
    };
    match open_folder(CWD, above.as_os_str()) {
        Ok(above) => remove_in(&above, name),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn remove_in(above: &OwnedFd, name: &OsStr) -> io::Result<()> {
    match rustix::fs::unlinkat(above, name, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => return Ok(()),
        Err(rustix::io::Errno::ISDIR | rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let stat = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if !mode.contains(Mode::RWXU) {
        rustix::fs::chmodat(above, name, mode | Mode::RWXU, AtFlags::empty())?;
    }
    let folder = open_folder(above, name)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            remove_in(&folder, name)?;
        }
    }
    Ok(rustix::fs::unlinkat(above, name, AtFlags::REMOVEDIR)?)
}

/// Number of names up to which one processor is faster than two.
const ALONE: usize = 40;

/// Limit of nested folders: deeper than any project's, with few enough handles to hold open.
pub(super) const DEEPEST: usize = 96;
