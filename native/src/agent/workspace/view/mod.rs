//! A command's view of the workspace, and the changes made in it.
//!
//! ```text
//!   workspace ──manifest──► overlay or copy ──command──► changes ──marks──► a person ──merge──► workspace
//!                                                                                  └──► what an undo needs
//! ```
//!
//! A command never works in the user's folder: it sees a view of it, which it may change freely. Once it has ended, its
//! changes are known, and applied if the user agrees. Changes that the user made meanwhile are never overwritten. The
//! workspace never contains files of the agent.

mod change;
mod duplicate;
mod ignored;
mod manifest;
mod marks;
mod merge;
mod repositories;
mod shown;

use std::{
    fs, io, panic,
    path::{Path, PathBuf},
    thread,
};

use super::{Accept, Review, repository::Lifted};
use crate::agent::shell::{Layer, Mounts, Ran};
use change::{Changes, REPOSITORY};
use manifest::Manifest;
use marks::Obeyed;

pub(in crate::agent::workspace) use merge::Undo;

/// The view of one command.
#[derive(Debug)]
pub(super) struct View {
    root: PathBuf,
    folder: PathBuf,
    base: Manifest,
    /// The copy as it was before the command; `None` for an overlay.
    copy: Option<Manifest>,
    review: Option<Review>,
}

/// Function that returns once a command may begin, or the reason why it may not.
pub(super) type Ready<'a> = Box<dyn FnOnce() -> io::Result<()> + Send + 'a>;

/// Way to make a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// An overlay of the workspace itself, whose upper layer holds the changes.
    Overlay,
    /// A copy of limited size, in which repositories are shown by mounts.
    Copy,
    /// A copy of limited size that includes its repositories.
    WholeCopy,
}

impl View {
    /// Prepares a view in a folder of the agent. With a review, the command may create repositories.
    ///
    /// # Errors
    /// The workspace cannot be read, or is too large for a copy.
    pub(super) fn begin(
        root: &Path,
        folder: &Path,
        way: Way,
        review: Option<Review>,
    ) -> io::Result<Self> {
        let mut view = Self::empty(root, folder)?;
        let base = Manifest::of(root, None)?;
        let way = match way {
            Way::Overlay if !fits_an_overlay(&base) => Way::Copy,
            way => way,
        };
        let upper = view.path();
        fs::set_permissions(&upper, fs::metadata(root)?.permissions())?;
        if way != Way::Overlay {
            duplicate::copy(root, &base, &upper, way == Way::WholeCopy)?;
            view.copy = Some(Manifest::of(&upper, None)?);
        }
        view.base = base;
        view.review = review;
        Ok(view)
    }

    /// Runs a command in an overlay. The workspace is read while `run` sets up the sandbox: the command begins when the
    /// function passed to `run` has returned. `None` if it did not begin, because an overlay cannot show this
    /// workspace.
    ///
    /// # Errors
    /// The workspace cannot be read, or `run` fails.
    pub(super) fn run_in_overlay(
        root: &Path,
        folder: &Path,
        run: impl FnOnce(&Mounts, Ready<'_>) -> io::Result<Ran>,
    ) -> io::Result<Option<(Self, Ran)>> {
        let mut view = Self::empty(root, folder)?;
        fs::set_permissions(view.path(), fs::metadata(root)?.permissions())?;
        view.base.gits = manifest::gits(root)?;
        let mounts = view.mounts()?;
        let mut base = None;
        let ran = thread::scope(|scope| {
            let walk = scope.spawn(|| Manifest::of(root, None));
            let ready = || {
                let walked = walk.join().unwrap_or_else(|why| panic::resume_unwind(why));
                match fits_an_overlay(base.insert(walked?)) {
                    true => Ok(()),
                    false => Err(io::ErrorKind::Unsupported.into()),
                }
            };
            run(&mounts, Box::new(ready))
        });
        match base {
            Some(base) if !fits_an_overlay(&base) => Ok(None),
            base => {
                view.base = base.unwrap_or_default();
                Ok(Some((view, ran?)))
            }
        }
    }

    /// Prepares an overlay of an unread workspace, to test whether it can be mounted.
    pub(super) fn empty(root: &Path, folder: &Path) -> io::Result<Self> {
        // Of a run that was killed.
        manifest::remove_tree(folder)?;
        for name in ["", "upper", "work", "merged"] {
            private_folder(&folder.join(name))?;
        }
        Ok(Self {
            root: root.to_owned(),
            folder: folder.to_owned(),
            base: Manifest::default(),
            copy: None,
            review: None,
        })
    }

    /// The folder in which a command without mounts works.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("upper")
    }

    /// Mounts that show the view in the place of the workspace, with its repositories for reading.
    ///
    /// # Errors
    /// There is too much to look at beside the workspace.
    pub(super) fn mounts(&self) -> io::Result<Mounts> {
        let beside = repositories::beside(&self.root);
        let gits = self.base.gits.iter().map(|git| self.root.join(git));
        let mut mounts = Mounts {
            read_only: gits
                .filter(|git| !git.is_symlink())
                .take(MOST_MOUNTED)
                .collect(),
            view: Some(match &self.copy {
                None => Layer::Overlay {
                    upper: self.path(),
                    work: self.folder.join("work"),
                    merged: self.folder.join("merged"),
                },
                Some(_) => Layer::Copy(self.path()),
            }),
            ..Mounts::default()
        };
        let shown = [&beside[..], &mounts.read_only].concat();
        mounts.hidden = repositories::special(&shown, &self.root)?;
        mounts.beside = beside;
        Ok(mounts)
    }

    /// Lets the command change repositories, in copies below a folder.
    ///
    /// # Errors
    /// A repository cannot be copied.
    pub(super) fn lift_git(&mut self, folder: PathBuf, mounts: &mut Mounts) -> io::Result<Lifted> {
        let inside: Vec<_> = self
            .base
            .gits
            .iter()
            .map(|git| self.root.join(git))
            .collect();
        let gits = repositories::writable(&self.root, &inside);
        // The sandbox makes a folder where it shows the copy of one that is not there yet.
        let new = gits.iter().filter(|git| !inside.contains(git));
        let new = new.filter_map(|git| Some(git.strip_prefix(&self.root).ok()?.to_owned()));
        self.base.gits.extend(new);
        Lifted::of(&gits, folder, mounts)
    }

    /// Applies the changes of the command that the user accepts, and returns notes about them.
    ///
    /// # Errors
    /// The view cannot be read, or the data for an undo cannot be kept; nothing was applied then.
    pub(super) fn end(self, accept: Accept, undo: &Path) -> io::Result<Vec<String>> {
        let made = self.path();
        let git = self.review.is_some();
        let mut changes = match &self.copy {
            None => Changes::of_layer(&self.root, &made, &self.base, git)?,
            Some(begun) => Changes::of_copy(&self.root, &made, (&self.base, begun), git)?,
        };
        if changes.all.is_empty() && changes.left_out.is_empty() {
            return Ok(Vec::new());
        }
        changes.leave_out_own();
        let mut obeyed = Obeyed::of(&self.root, &self.base, &changes.all);
        self.part_repositories(&mut changes, &mut obeyed);
        let items = shown::items(&self.root, &made, &changes.all, &obeyed);
        let accepted = match items.is_empty() {
            true => Vec::new(),
            false => accept(
                &items
                    .iter()
                    .map(|item| item.shown.clone())
                    .collect::<Vec<_>>(),
            ),
        };
        let (chosen, mut notes) = shown::chosen(&changes.all, &items, &accepted);
        let left = match chosen.is_empty() {
            true => Vec::new(),
            false => Undo::new(undo)?.merge(&self.root, &made, &chosen)?,
        };
        notes.extend(shown::left(&left));
        notes.extend(shown::left_out(&changes.left_out));
        Ok(notes)
    }

    /// Drops parts of repositories, except of new ones that the user accepts.
    fn part_repositories(&self, changes: &mut Changes, obeyed: &mut Obeyed) {
        let (of_git, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut changes.all)
            .into_iter()
            .partition(|it| obeyed.is_of_git(&it.path));
        changes.all = rest;
        let tops = shown::tops(&of_git, &obeyed.repositories);
        for top in tops {
            let is_new = !self.base.entries.contains_key(&top) && !self.base.gits.contains(&top);
            let at = match manifest::is_git(top.file_name().unwrap_or_default()) {
                true => top.clone(),
                false => top.join("HEAD"),
            };
            let stays = self
                .review
                .is_some_and(|review| is_new && repositories::may_stay(&self.path(), &at, review));
            if stays {
                let parts = of_git.iter().filter(|it| it.path.starts_with(&top));
                changes.all.extend(parts.cloned());
                obeyed.accepted.insert(top);
            } else {
                changes.left_out.push((top, REPOSITORY));
            }
        }
        changes
            .all
            .sort_by(|a, b| (&a.path, a.after.is_some()).cmp(&(&b.path, b.after.is_some())));
    }
}

/// Returns true if an overlay can show this workspace. It cannot assign a file to a user or group that its namespace
/// lacks.
fn fits_an_overlay(base: &Manifest) -> bool {
    !base.is_shared || rustix::process::geteuid().is_root()
}

impl Drop for View {
    fn drop(&mut self) {
        // A person waits for this thread, and nobody for the memory of ten thousand paths.
        let manifests = (std::mem::take(&mut self.base), self.copy.take());
        rayon::spawn(move || drop(manifests));
        // What stays is removed by the next one.
        let _ = manifest::remove_tree(&self.folder);
    }
}

/// Removes the view of a run that was killed.
pub(super) fn tidy(folder: &Path) {
    let _ = manifest::remove_tree(folder);
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Limit of mounts, each of which takes longer the more there are; changes in places without one cannot be applied.
const MOST_MOUNTED: usize = 500;
