//! Finds the differences between a workspace and a command's view of it.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    os::{
        fd::{AsFd, OwnedFd},
        unix::{ffi::OsStrExt, fs::OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Dir, FileType, OFlags};

use crate::agent::workspace::OWN;

use super::manifest::{DEEPEST, Kind, Manifest, Stamp, is_git, open_own, target};

/// A path that differs in the view; `None` where it does not exist.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) before: Option<Stamp>,
    pub(super) after: Option<Stamp>,
}

/// All differences in a view.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Changes, sorted by path; a path whose kind changes appears twice, with its removal first.
    pub(super) all: Vec<Change>,
    /// Paths that are never applied, with the reason.
    pub(super) left_out: Vec<(PathBuf, &'static str)>,
}

impl Changes {
    /// Reads the upper layer of an overlay. With `git`, new repositories are read, too.
    pub(super) fn of_layer(
        root: &Path,
        upper: &Path,
        base: &Manifest,
        git: bool,
    ) -> io::Result<Self> {
        let top = open_own(CWD, upper.as_os_str())?;
        let mut changes = Self::default();
        changes.read_layer(
            &top,
            &mut PathBuf::new(),
            &Reading {
                base,
                git,
                depth: 0,
            },
        )?;
        changes.forget_rewritten(root, upper);
        Ok(changes)
    }

    /// Compares a copy with its own earlier state, in which the stamps are those of the copy.
    pub(super) fn of_copy(
        root: &Path,
        copy: &Path,
        (base, begun): (&Manifest, &Manifest),
        git: bool,
    ) -> io::Result<Self> {
        let now = Manifest::of(copy, git.then_some(&base.gits[..]))?;
        let mut changes = Self::default();
        for path in begun
            .entries
            .keys()
            .filter(|path| !now.entries.contains_key(*path))
        {
            changes.remove(path, base.entries.get(path));
        }
        for (path, after) in &now.entries {
            let begun = begun.entries.get(path);
            if !begun.is_some_and(|begun| begun.is_still(after)) {
                changes.see(path, base.entries.get(path), after.clone());
            }
        }
        let new = now.gits.into_iter().filter(|git| !base.gits.contains(git));
        changes.left_out.extend(new.map(|path| (path, REPOSITORY)));
        changes.all.sort_by(|a, b| a.path.cmp(&b.path));
        changes.forget_rewritten(root, copy);
        Ok(changes)
    }

    fn read_layer(
        &mut self,
        folder: &OwnedFd,
        path: &mut PathBuf,
        reading: &Reading<'_>,
    ) -> io::Result<()> {
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        for entry in Dir::read_from(folder)? {
            names.push(entry?.file_name().to_bytes().to_vec());
        }
        names.sort();
        for name in &names {
            let name = OsStr::from_bytes(name);
            if name == "." || name == ".." {
                continue;
            }
            path.push(name);
            seen.insert(path.clone());
            self.read_entry(folder, name, path, reading)?;
            path.pop();
        }
        if is_opaque(folder) {
            let above = path.clone();
            let gone = reading.base.below(&above);
            let gone =
                gone.filter(|(below, _)| below.parent() == Some(&above) && !seen.contains(*below));
            let gone: Vec<_> = gone.map(|(path, _)| path.clone()).collect();
            gone.iter()
                .for_each(|path| self.remove_all(path, reading.base));
        }
        Ok(())
    }

    fn read_entry(
        &mut self,
        folder: &OwnedFd,
        name: &OsStr,
        path: &mut PathBuf,
        reading: &Reading<'_>,
    ) -> io::Result<()> {
        let Reading { base, git, depth } = *reading;
        if is_git(name) && (!git || base.gits.contains(path)) {
            // bubblewrap makes an empty folder where it shows a copy of a repository that is not there yet.
            if !base.gits.contains(path) && !is_empty(folder, name) {
                self.left_out.push((path.clone(), REPOSITORY));
            }
            return Ok(());
        }
        let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let before = base.entries.get(path);
        let is_whiteout =
            FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice && stat.st_rdev == 0;
        if is_whiteout {
            self.remove_all(path, base);
            return Ok(());
        }
        let after = Stamp::of(&stat, || target(folder, name));
        let is_folder = after.kind == Kind::Folder;
        let was_folder = before.is_some_and(|before| before.kind == Kind::Folder);
        if was_folder && !is_folder {
            self.remove_all(path, base);
            self.see(path, None, after);
        } else {
            self.see(path, before, after);
        }
        if is_folder && depth < DEEPEST {
            let below = open_own(folder, name)?;
            self.read_layer(
                &below,
                path,
                &Reading {
                    depth: depth + 1,
                    ..*reading
                },
            )?;
        } else if is_folder {
            self.left_out
                .push((path.clone(), "it is nested too deeply"));
        }
        Ok(())
    }

    fn see(&mut self, path: &Path, before: Option<&Stamp>, after: Stamp) {
        if after.kind == Kind::Special {
            self.left_out
                .push((path.to_owned(), "it is a socket, a pipe or a device"));
            return;
        }
        let is_other_kind = before
            .is_some_and(|before| (before.kind == Kind::Folder) != (after.kind == Kind::Folder));
        if is_other_kind {
            self.remove(path, before);
        }
        let before = before.filter(|_| !is_other_kind);
        let is_same = before.is_some_and(|before| match before.kind {
            Kind::Folder | Kind::Link(_) => before.kind == after.kind && before.mode == after.mode,
            Kind::File | Kind::Special => false,
        });
        if !is_same {
            self.all.push(Change {
                path: path.to_owned(),
                before: before.cloned(),
                after: Some(after),
            });
        }
    }

    fn remove_all(&mut self, path: &Path, base: &Manifest) {
        if let Some(before) = base.entries.get(path) {
            self.remove(path, Some(before));
            for (path, before) in base.below(path) {
                self.remove(path, Some(before));
            }
        }
    }

    fn remove(&mut self, path: &Path, before: Option<&Stamp>) {
        self.all.push(Change {
            path: path.to_owned(),
            before: before.cloned(),
            after: None,
        });
    }

    /// Excludes names that belong to the agent itself.
    pub(super) fn leave_out_own(&mut self) {
        let is_own = |path: &Path| {
            path.components()
                .any(|name| name.as_os_str().eq_ignore_ascii_case(OWN))
        };
        let own = self.all.iter().find(|change| is_own(&change.path));
        let own = own.map(|change| {
            (
                change.path.clone(),
                "it has the name of the agent's own folder",
            )
        });
        self.left_out.extend(own);
        self.all.retain(|change| !is_own(&change.path));
    }

    /// Drops files that were only rewritten, or only opened for writing.
    fn forget_rewritten(&mut self, root: &Path, made: &Path) {
        self.all
            .retain(|change| match (&change.before, &change.after) {
                (Some(before), Some(after))
                    if before.kind == Kind::File && after.kind == Kind::File =>
                {
                    let is_like = (before.mode, before.size) == (after.mode, after.size);
                    !(is_like && is_same(&root.join(&change.path), &made.join(&change.path)))
                }
                (None, None) => false,
                _ => true,
            });
    }
}

struct Reading<'a> {
    base: &'a Manifest,
    git: bool,
    depth: usize,
}

/// Returns true for a folder of an upper layer that hides the one below it (Documentation/filesystems/overlayfs.rst).
fn is_opaque(folder: &OwnedFd) -> bool {
    let mut value = [0; 1];
    let length = rustix::fs::fgetxattr(folder, "user.overlay.opaque", &mut value);
    length.is_ok() && value == *b"y"
}

fn is_empty(folder: impl AsFd, name: &OsStr) -> bool {
    let Ok(folder) = super::manifest::open_folder(folder, name) else {
        return false;
    };
    Dir::read_from(&folder).is_ok_and(|entries| entries.flatten().count() <= 2)
}

fn is_same(old: &Path, new: &Path) -> bool {
    let (Ok(mut old), Ok(mut new)) = (open(old), open(new)) else {
        return false;
    };
    let (mut one, mut other) = (vec![0; PIECE], vec![0; PIECE]);
    loop {
        match (read(&mut old, &mut one), read(&mut new, &mut other)) {
            (Ok(0), Ok(0)) => return true,
            (Ok(a), Ok(b)) if one[..a] == other[..b] => {}
            _ => return false,
        }
    }
}

fn read(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            length => filled += length,
        }
    }
    Ok(filled)
}

/// Opens a file for reading; links are not followed, and pipes do not block.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = File::options();
    options.read(true).custom_flags(flags.bits().cast_signed());
    options.open(path)
}

pub(super) const REPOSITORY: &str = "git would obey it; the person can allow it with --allow git";
const PIECE: usize = 64 * 1024;
