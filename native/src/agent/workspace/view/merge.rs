//! Applies a command's changes to the workspace, so that they can be undone exactly.
//!
//! ```text
//!   view/a ──exchange──► workspace/a          the old file, checked to be the one that the command started from,
//!                 └────► undo/7               is kept; one that the person changed meanwhile is put back at once
//! ```
//!
//! Nothing is ever overwritten: names are exchanged, or assigned only if unused.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, Mode, RenameFlags};
use serde::{Deserialize, Serialize};

use super::{
    change::{Change, open},
    duplicate::copy_file,
    manifest::{Kind, Stamp, open_folder, target},
};
use crate::agent::workspace::random_name;

/// One change made to the workspace, with the data that undoes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    path: PathBuf,
    before: Option<Stamp>,
    after: Option<Stamp>,
    /// Name of the old file beside the record.
    image: Option<String>,
}

/// Folder with the data for an undo.
#[derive(Debug)]
pub(in crate::agent::workspace) struct Undo {
    folder: PathBuf,
    steps: Vec<Step>,
}

/// Reason why a path is left as it is.
pub(super) type Left = (PathBuf, String);

impl Undo {
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            steps: Vec::new(),
        })
    }

    /// Applies changes from a view, and returns the paths left unchanged. Each step is recorded on disk before it is
    /// done.
    pub(super) fn merge(
        &mut self,
        root: &Path,
        made: &Path,
        changes: &[Change],
    ) -> io::Result<Vec<Left>> {
        let all = in_order(changes);
        self.steps = all
            .iter()
            .enumerate()
            .map(|(number, change)| planned(number, change))
            .collect();
        self.save()?;
        let mut left = Vec::new();
        let mut done = Vec::new();
        let top = open_folder(CWD, root.as_os_str())?;
        for (step, change) in self.steps.iter().zip(&all) {
            let image = step.image.as_ref().map(|name| self.folder.join(name));
            match step.make(&top, &made.join(&change.path), image.as_deref()) {
                Ok(()) => done.push(step.clone()),
                Err(error) => left.push((change.path.clone(), in_words(&error))),
            }
        }
        self.steps = done;
        self.set_modes(&top, &mut left);
        self.save()?;
        Ok(left)
    }

    /// Sets the modes of new folders last, deepest first: a folder that is read-only could not have been filled.
    fn set_modes(&self, top: &OwnedFd, left: &mut Vec<Left>) {
        for step in self.steps.iter().rev() {
            if let (None, Some(after)) = (&step.before, &step.after)
                && after.kind == Kind::Folder
                && let Err(error) = step.set_mode(top, after.mode)
            {
                left.push((step.path.clone(), in_words(&error)));
            }
        }
    }

    fn save(&self) -> io::Result<()> {
        let path = self.folder.join(STEPS);
        let temporary = path.with_extension("new");
        fs::write(&temporary, serde_json::to_vec(&self.steps)?)?;
        fs::File::open(&temporary)?.sync_all()?;
        fs::rename(temporary, path)
    }

    /// Undoes the steps of a record, last step first. Returns the outcome for each path.
    pub(in crate::agent::workspace) fn take_back(
        root: &Path,
        folder: &Path,
    ) -> io::Result<Vec<String>> {
        let steps: Vec<Step> = match fs::read(folder.join(STEPS)) {
            Ok(steps) => serde_json::from_slice(&steps)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let top = open_folder(CWD, root.as_os_str())?;
        let mut said = Vec::new();
        // A folder that may not be written cannot be emptied.
        for step in &steps {
            if let (None, Some(after)) = (&step.before, &step.after)
                && after.kind == Kind::Folder
            {
                let _ = step.set_mode(&top, after.mode | 0o700);
            }
        }
        for step in steps.iter().rev() {
            let name = step.path.display();
            match step.take_back(&top, folder) {
                Ok(true) => said.push(format!("{name}: as before")),
                Ok(false) => {}
                Err(error) => said.push(format!("{name}: left as it is ({})", in_words(&error))),
            }
        }
        Ok(said)
    }
}

/// Orders the changes: removals first, deepest first; then the rest, folders before their content; modes of folders
/// last.
fn in_order(changes: &[Change]) -> Vec<&Change> {
    let is_mode = |change: &&Change| {
        let folder =
            |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|it| it.kind == Kind::Folder);
        folder(&change.before) && folder(&change.after)
    };
    let removed = changes.iter().rev().filter(|change| change.after.is_none());
    let made = changes
        .iter()
        .filter(|change| change.after.is_some() && !is_mode(change));
    let modes = changes.iter().rev().filter(is_mode);
    removed.chain(made).chain(modes).collect()
}

fn planned(number: usize, change: &Change) -> Step {
    let holds = |stamp: &Stamp| stamp.kind != Kind::Folder;
    Step {
        path: change.path.clone(),
        image: change
            .before
            .as_ref()
            .filter(|it| holds(it))
            .map(|_| number.to_string()),
        before: change.before.clone(),
        after: change.after.clone(),
    }
}

impl Step {
    /// Returns the folder that contains the path, and the name in it. Links are not followed.
    fn place(&self, top: &OwnedFd) -> io::Result<(OwnedFd, &OsStr)> {
        let mut folder = top.try_clone()?;
        for name in self.path.parent().unwrap_or(Path::new("")) {
            folder = open_folder(&folder, name)?;
        }
        Ok((folder, self.path.file_name().unwrap_or_default()))
    }

    fn make(&self, top: &OwnedFd, made: &Path, image: Option<&Path>) -> io::Result<()> {
        let (folder, name) = self.place(top)?;
        let now = Stamp::at(&folder, name)?;
        let is_as_seen = match (&self.before, &now) {
            (None, None) => true,
            (Some(before), Some(now)) => before.is_still(now),
            (None, Some(now)) => {
                let is_folder = |stamp: &Stamp| stamp.kind == Kind::Folder;
                return match self.after.as_ref().is_some_and(is_folder) && is_folder(now) {
                    // Both have made it; on an undo it goes if it is empty.
                    true => Ok(()),
                    false => Err(changed()),
                };
            }
            (Some(_), None) => false,
        };
        if !is_as_seen {
            return Err(changed());
        }
        match (&self.before, &self.after) {
            (Some(before), None) if before.kind == Kind::Folder => remove_folder(&folder, name),
            (Some(before), None) => keep(&folder, name, before, image),
            (Some(before), Some(after)) if before.kind == Kind::Folder => {
                set_mode(&folder, name, after.mode)
            }
            (None, Some(after)) if after.kind == Kind::Folder => {
                Ok(rustix::fs::mkdirat(&folder, name, Mode::RWXU)?)
            }
            (before, Some(_)) => place_file(made, &folder, name, before.as_ref(), image),
            (None, None) => Ok(()),
        }
    }

    fn set_mode(&self, top: &OwnedFd, mode: u32) -> io::Result<()> {
        let (folder, name) = self.place(top)?;
        set_mode(&folder, name, mode)
    }

    /// Undoes the step; returns false if it was never done.
    fn take_back(&self, top: &OwnedFd, kept: &Path) -> io::Result<bool> {
        let (folder, name) = match self.place(top) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            place => place?,
        };
        let now = Stamp::at(&folder, name)?;
        match (&self.after, &now) {
            (None, None) => {}
            (Some(after), Some(now)) if after.kind == Kind::Folder && now.kind == Kind::Folder => {
                return match &self.before {
                    None => remove_folder(&folder, name).map(|()| true),
                    Some(before) if now.mode == after.mode => {
                        set_mode(&folder, name, before.mode).map(|()| true)
                    }
                    Some(_) => Err(changed()),
                };
            }
            (Some(after), Some(now)) if after.was_moved_to(now) => {}
            (_, now) => {
                let is_before = match (&self.before, now) {
                    (Some(before), Some(now)) => before.was_moved_to(now),
                    (None, None) => true,
                    _ => false,
                };
                return if is_before { Ok(false) } else { Err(changed()) };
            }
        }
        match (&self.before, &self.image) {
            (Some(before), _) if before.kind == Kind::Folder => {
                rustix::fs::mkdirat(&folder, name, Mode::RWXU)?;
                set_mode(&folder, name, before.mode)?;
            }
            (before, Some(image)) => {
                let gone = kept.join(format!("{image}-undone"));
                place_file(
                    &kept.join(image),
                    &folder,
                    name,
                    self.after.as_ref(),
                    Some(&gone),
                )?;
                debug_assert!(before.is_some());
            }
            (_, None) => {
                let after = self.after.as_ref().ok_or_else(changed)?;
                keep(&folder, name, after, None)?;
            }
        }
        Ok(true)
    }
}

/// Moves a complete file or link into place, and keeps the old one. An entry there that has changed since is left as it
/// is.
fn place_file(
    made: &Path,
    folder: &OwnedFd,
    name: &OsStr,
    before: Option<&Stamp>,
    image: Option<&Path>,
) -> io::Result<()> {
    let near = Near::bring(made, folder)?;
    let Some(before) = before else {
        let given = give((&near.at, &near.name), (folder, name));
        if given.is_err() {
            near.forget();
        }
        return given;
    };
    exchange((&near.at, &near.name), (folder, name))?;
    let old = Stamp::at(&near.at, &near.name)?;
    if !old.is_some_and(|old| before.was_moved_to(&old)) {
        exchange((&near.at, &near.name), (folder, name))?;
        near.forget();
        return Err(changed());
    }
    move_to(&near.at, &near.name, image)
}

/// Moves a file out of the workspace, and keeps it.
fn keep(folder: &OwnedFd, name: &OsStr, before: &Stamp, image: Option<&Path>) -> io::Result<()> {
    let aside = OsString::from(random_name());
    give((folder, name), (folder, &aside))?;
    let old = Stamp::at(folder, &aside)?;
    if !old.is_some_and(|old| before.was_moved_to(&old)) {
        give((folder, &aside), (folder, name))?;
        return Err(changed());
    }
    move_to(folder, &aside, image)
}

/// Moves a file out of the workspace, to its image if one is to be kept.
fn move_to(folder: &OwnedFd, name: &OsStr, image: Option<&Path>) -> io::Result<()> {
    let Some(image) = image else {
        return Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?);
    };
    match rustix::fs::renameat(folder, name, CWD, image) {
        Err(rustix::io::Errno::XDEV) => {
            copy_entry(folder, name, CWD, image.as_os_str())?;
            Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
        }
        moved => Ok(moved?),
    }
}

type Named<'a> = (&'a OwnedFd, &'a OsStr);

/// Moves a file to an unused name.
fn give(from: Named<'_>, to: Named<'_>) -> io::Result<()> {
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Err(rustix::io::Errno::EXIST) => Err(changed()),
        // Some disks of a network do not have it.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => match Stamp::at(to.0, to.1)? {
            Some(_) => Err(changed()),
            None => Ok(rustix::fs::renameat(from.0, from.1, to.0, to.1)?),
        },
        moved => Ok(moved?),
    }
}

/// Exchanges the names of two files.
fn exchange(one: Named<'_>, other: Named<'_>) -> io::Result<()> {
    match rustix::fs::renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            let aside = OsString::from(random_name());
            give(other, (other.0, &aside))?;
            give(one, other)?;
            give((other.0, &aside), one)
        }
        moved => Ok(moved?),
    }
}

/// File on the disk of the workspace, which can be moved into place atomically.
struct Near {
    at: OwnedFd,
    name: OsString,
    is_copy: bool,
}

impl Near {
    fn bring(made: &Path, folder: &OwnedFd) -> io::Result<Self> {
        let above = open_folder(CWD, made.parent().unwrap_or(made).as_os_str())?;
        let name = made.file_name().unwrap_or_default().to_owned();
        strip(made);
        let is_near = rustix::fs::fstat(&above)?.st_dev == rustix::fs::fstat(folder)?.st_dev;
        if is_near {
            return Ok(Self {
                at: above,
                name,
                is_copy: false,
            });
        }
        let copy = OsString::from(random_name());
        copy_entry(&above, &name, folder, &copy)?;
        Ok(Self {
            at: folder.try_clone()?,
            name: copy,
            is_copy: true,
        })
    }

    fn forget(&self) {
        if self.is_copy {
            let _ = rustix::fs::unlinkat(&self.at, &self.name, AtFlags::empty());
        }
    }
}

/// Copies a file or a link to another disk, with its mode and its times.
fn copy_entry(from: impl AsFd, name: &OsStr, to: impl AsFd, copy: &OsStr) -> io::Result<()> {
    let stamp = Stamp::at(&from, name)?.ok_or(io::ErrorKind::NotFound)?;
    if let Kind::Link(_) = stamp.kind {
        let target = target(&from, name).unwrap_or_default();
        rustix::fs::symlinkat(&target, &to, copy)?;
    } else {
        let path =
            |fd: std::os::fd::BorrowedFd<'_>, name: &OsStr| match Path::new(name).is_absolute() {
                true => PathBuf::from(name),
                false => {
                    use std::os::fd::AsRawFd;
                    Path::new("/proc/self/fd")
                        .join(fd.as_raw_fd().to_string())
                        .join(name)
                }
            };
        let file = open(&path(from.as_fd(), name))?;
        copy_file(&file, &path(to.as_fd(), copy), stamp.mode)?;
    }
    Ok(rustix::fs::utimensat(
        &to,
        copy,
        &stamp.times(),
        AtFlags::SYMLINK_NOFOLLOW,
    )?)
}

/// Removes an overlay's marks from a file.
fn strip(path: &Path) {
    let mut names = vec![0; 4096];
    let Ok(length) = rustix::fs::llistxattr(path, &mut names[..]) else {
        return;
    };
    for name in names[..length].split(|byte| *byte == 0) {
        if name.starts_with(b"user.overlay.") {
            // It is only of use to an overlay.
            let _ = rustix::fs::lremovexattr(path, name);
        }
    }
}

fn remove_folder(folder: &OwnedFd, name: &OsStr) -> io::Result<()> {
    rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR).map_err(|error| match error {
        rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST => {
            io::Error::other("other files are in it")
        }
        error => error.into(),
    })
}

fn set_mode(folder: &OwnedFd, name: &OsStr, mode: u32) -> io::Result<()> {
    let below = rustix::fs::openat(
        folder,
        name,
        rustix::fs::OFlags::PATH | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::DIRECTORY,
        Mode::empty(),
    )?;
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", below.as_raw_fd());
    Ok(rustix::fs::chmod(path, Mode::from_raw_mode(mode))?)
}

fn changed() -> io::Error {
    io::Error::other(CHANGED)
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => CHANGED.to_owned(),
        _ => error.to_string(),
    }
}

const CHANGED: &str = "changed since";
const STEPS: &str = "steps.json";
