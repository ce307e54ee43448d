//! Through a whole workspace, one folder's handle at a time, following no link.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use super::{
    super::runs::runs_by_itself,
    names::{Kept, is_library, kept},
};

/// What of a workspace matters to the guard. Paths are relative to its root.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What is kept from commands: its path, and what it leads to if it is a link.
    pub(super) kept: Vec<(PathBuf, Option<PathBuf>)>,
    /// Folders that git takes for a repository without a `.git`.
    pub(super) bare: Vec<PathBuf>,
    /// Sockets, pipes and devices, behind which is somebody else.
    pub(super) special: Vec<PathBuf>,
    /// Folders into which nothing looks, because they are too deep.
    pub(super) too_deep: Vec<PathBuf>,
    /// Files that something runs or obeys without being told, and that commands may change; with what tells one state of
    /// them from another.
    pub(super) obeyed: BTreeMap<PathBuf, Stamp>,
}

/// A file's number, size and time of its last change, which no program can set back.
pub(super) type Stamp = (u64, i64, i64, i64);

/// Looks through everything but what is kept.
pub(super) fn walk(root: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    let top = open_top(root)?;
    enter(&top, &mut PathBuf::new(), Place::default(), &mut found)?;
    Ok(found)
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    depth: usize,
    is_library: bool,
}

fn enter(folder: &OwnedFd, path: &mut PathBuf, place: Place, found: &mut Found) -> io::Result<()> {
    let mut folders = Vec::new();
    let mut top = Vec::new();
    let mut git = GitDirectory::default();
    let mut has_git = place.depth == 0;
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => kind_of(folder, name),
            kind => kind,
        };
        git.see(name.as_bytes());
        match kept(name.as_bytes()) {
            Some(Kept::Top) => top.push((name.to_owned(), kind)),
            Some(Kept::Settings) if place.is_library => {}
            Some(it) => {
                has_git |= it == Kept::Git;
                found.keep(folder, path, name, kind);
            }
            None if kind == FileType::Directory => folders.push(name.to_owned()),
            None if !matches!(kind, FileType::RegularFile | FileType::Symlink) => {
                found.special.push(path.join(name));
            }
            None if !place.is_library => found.see(folder, path, name),
            None => {}
        }
    }
    for (name, kind) in top {
        if has_git {
            found.keep(folder, path, &name, kind);
        }
    }
    if git.is_one() {
        found.bare.push(path.clone());
        // As the root it is the workspace itself, and only part of it can be kept.
        if place.depth > 0 {
            return Ok(());
        }
    }
    for name in folders {
        path.push(&name);
        let below = Place {
            depth: place.depth + 1,
            is_library: place.is_library || is_library(name.as_bytes()),
        };
        if below.depth > DEEPEST {
            found.too_deep.push(path.clone());
        } else if let Some(folder) = open_anyhow(folder, &name)? {
            enter(&folder, path, below, found)?;
        }
        path.pop();
    }
    Ok(())
}

impl Found {
    /// Takes note of a file if something obeys it.
    fn see(&mut self, folder: &OwnedFd, path: &Path, name: &OsStr) {
        let path = path.join(name);
        if path
            .to_str()
            .is_none_or(|path| runs_by_itself(path).is_none())
        {
            return;
        }
        if let Ok(stat) = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            let changed = (
                stat.st_ctime,
                i64::try_from(stat.st_ctime_nsec).unwrap_or_default(),
            );
            self.obeyed
                .insert(path, (stat.st_ino, stat.st_size, changed.0, changed.1));
        }
    }

    fn keep(&mut self, folder: &OwnedFd, path: &Path, name: &OsStr, kind: FileType) {
        let target = (kind == FileType::Symlink)
            .then(|| rustix::fs::readlinkat(folder, name, Vec::new()).ok())
            .flatten();
        let target = target.map(|target| PathBuf::from(OsStr::from_bytes(target.to_bytes())));
        self.kept.push((path.join(name), target));
    }
}

/// What makes a folder one of git's: a HEAD, and objects with refs or the way to them (setup.c, `is_git_directory`).
#[derive(Default)]
struct GitDirectory {
    head: bool,
    objects: bool,
    refs: bool,
    elsewhere: bool,
}

impl GitDirectory {
    fn see(&mut self, name: &[u8]) {
        match name {
            b"HEAD" => self.head = true,
            b"objects" => self.objects = true,
            b"refs" => self.refs = true,
            b"commondir" => self.elsewhere = true,
            _ => {}
        }
    }

    const fn is_one(&self) -> bool {
        self.head && ((self.objects && self.refs) || self.elsewhere)
    }
}

fn kind_of(folder: &OwnedFd, name: &OsStr) -> FileType {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.map_or(FileType::Unknown, |stat| {
        FileType::from_raw_mode(stat.st_mode)
    })
}

/// Opens the workspace itself, even if a command has closed it to its owner.
pub(super) fn open_top(root: &Path) -> io::Result<OwnedFd> {
    open_for_owner(CWD, root.as_os_str())
}

/// Opens a folder, even if a command has closed it to its owner. `None`: it is gone, or it is somebody else's.
fn open_anyhow(folder: &OwnedFd, name: &OsStr) -> io::Result<Option<OwnedFd>> {
    match open_for_owner(folder, name) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound
            ) =>
        {
            Ok(None)
        }
        opened => opened.map(Some),
    }
}

fn open_for_owner(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    match open(&folder, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            give_back(&folder, name, Mode::RWXU).map_err(|_| error)?;
            open(folder, name)
        }
        opened => opened,
    }
}

/// Gives the owner rights to a folder, in addition to those that there are. A link is not followed: no process of the
/// command is left that could put one in its place.
pub(super) fn give_back(folder: impl AsFd, name: &OsStr, rights: Mode) -> io::Result<()> {
    let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory && !mode.contains(rights) {
        rustix::fs::chmodat(folder, name, mode | rights, AtFlags::empty())?;
    }
    Ok(())
}

fn open(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

/// Deeper than any project's folders, and few enough handles to hold.
const DEEPEST: usize = 96;
