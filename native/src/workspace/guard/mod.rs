//! What commands may not change in the workspace, because something else obeys it by itself: git, editors, assistants.
//!
//! ```text
//!   before: look ──► read-only mounts, and empty folders for what is not there    ──► command ──►
//!   after:  look again ──► what is new of that kind is put aside, and said
//! ```
//!
//! What is there cannot be changed, renamed or replaced while the command runs. What a command makes of that kind in a
//! folder where there was none is there until the command ends; no mount can stand in for every folder that a command might
//! make.

mod config;
mod names;
mod repositories;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs, io, mem,
    os::unix::fs::{DirBuilderExt, MetadataExt, symlink},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, Mode};
use serde::{Deserialize, Serialize};

use self::walk::{Found, Stamp, give_back, open_top, walk};
use super::{Review, repository::Lifted};
use super::{random_name, runs::runs_by_itself};
use crate::shell::Mounts;

/// A workspace before a command.
#[derive(Debug)]
pub(super) struct Guard {
    root: PathBuf,
    known: Known,
    mounts: Mounts,
    stand_ins: Vec<PathBuf>,
    obeyed: BTreeMap<PathBuf, Stamp>,
}

/// What was there before a command. Paths are relative to the workspace.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    /// The mode of the workspace's folder.
    #[serde(default)]
    mode: u32,
    /// With what each leads to, if it is a link.
    kept: Vec<(OsString, Option<OsString>)>,
    bare: BTreeSet<OsString>,
    too_deep: BTreeSet<OsString>,
}

impl Guard {
    /// Looks at a workspace, and puts empty folders where what is kept is not there.
    ///
    /// # Errors
    /// It cannot be looked through, or there is too much to keep.
    pub(super) fn before(root: &Path) -> io::Result<Self> {
        open_top(root)?;
        let mode = fs::metadata(root)?.mode();
        remove_stand_ins(root);
        let mut found = walk(root)?;
        let obeyed = mem::take(&mut found.obeyed);
        let mut mounts = Mounts {
            beside: repositories::beside(root),
            read_only: kept_from_commands(root, &found)?,
            hidden: found.special.iter().map(|path| root.join(path)).collect(),
            ..Mounts::default()
        };
        let shown = [&mounts.beside[..], &mounts.read_only].concat();
        mounts.hidden.extend(repositories::special(&shown, root)?);
        mounts.pinned = pinned(root, &mounts.read_only);
        let many = mounts.read_only.len() + mounts.pinned.len() + mounts.hidden.len();
        if many > MOST {
            return Err(io::Error::other(format!(
                "the workspace has {many} repositories, settings and sockets that have to be kept from commands, and no more \
                 than {MOST} can be; take a smaller folder"
            )));
        }
        let stand_ins = make_stand_ins(root);
        mounts.read_only.extend(stand_ins.iter().cloned());
        Ok(Self {
            root: root.to_owned(),
            known: Known {
                mode,
                ..Known::of(found)
            },
            mounts,
            stand_ins,
            obeyed,
        })
    }

    /// What a sandbox has to keep from the command.
    pub(super) const fn mounts(&self) -> &Mounts {
        &self.mounts
    }

    /// Lets the command change repositories, in copies below a folder.
    ///
    /// # Errors
    /// One cannot be copied.
    pub(super) fn lift_git(&mut self, folder: PathBuf) -> io::Result<Lifted> {
        let inside = self.known.kept.iter();
        let inside: Vec<_> = inside.map(|(path, _)| self.root.join(path)).collect();
        let gits = repositories::writable(&self.root, &inside);
        // What comes to be there then comes from the copy, and was looked at.
        let new = gits.iter().filter(|git| !inside.contains(git));
        let new = new.filter_map(|git| git.strip_prefix(&self.root).ok());
        self.known.kept.extend(new.map(|path| (path.into(), None)));
        Lifted::of(&gits, folder, &mut self.mounts)
    }

    /// Opens the workspace that the command has closed to its owner; whatever is done after a command needs that. Answers
    /// what could not be done.
    pub(super) fn open(&self) -> Option<String> {
        self.known.open(&self.root).err().map(|error| {
            format!(
                "the command has closed the workspace, and it could NOT be opened again: {error}"
            )
        })
    }

    /// What was there.
    pub(super) const fn known(&self) -> &Known {
        &self.known
    }

    /// Puts aside what the command made of that kind, but for repositories of which a person says that they stay. Answers
    /// what that was, in words.
    pub(super) fn after(self, aside: &Path, review: Option<Review>) -> Vec<String> {
        for path in &self.stand_ins {
            // One that has become a repository, with the person's consent, is not empty.
            let _ = fs::remove_dir(path);
        }
        let mut said = self.known.sweep(&self.root, aside, review);
        said.extend(self.marks());
        said
    }

    /// The files that the command made or changed and that something obeys without being told, in words.
    fn marks(&self) -> Option<String> {
        // What cannot be looked through has been said by the sweep.
        let now = walk(&self.root).ok()?.obeyed;
        let is_new = |(path, stamp): &(&PathBuf, &Stamp)| self.obeyed.get(*path) != Some(*stamp);
        let new: Vec<_> = now.iter().filter(is_new).map(|(path, _)| path).collect();
        let mark = |path: &&PathBuf| {
            let name = path.to_string_lossy();
            let runner = runs_by_itself(&name)?;
            Some(format!("{name} ({runner})"))
        };
        let marks: Vec<_> = new
            .iter()
            .copied()
            .take(MOST_MARKS)
            .filter_map(|path| mark(&path))
            .collect();
        let more = match new.len().saturating_sub(MOST_MARKS) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        (!marks.is_empty()).then(|| {
            format!(
                "the command made or changed files that run or are obeyed without being named; look at them: {}{more}",
                marks.join(", ")
            )
        })
    }
}

impl Known {
    fn of(found: Found) -> Self {
        let kept = found.kept.into_iter();
        Self {
            kept: kept
                .map(|(path, target)| (path.into(), target.map(Into::into)))
                .collect(),
            bare: found.bare.into_iter().map(Into::into).collect(),
            too_deep: found.too_deep.into_iter().map(Into::into).collect(),
            mode: 0,
        }
    }

    /// Gives the owner of the workspace back what the command took away by its mode: nothing could be found in it, or moved
    /// out of it.
    fn open(&self, root: &Path) -> io::Result<()> {
        let rights = Mode::from_raw_mode(self.mode).intersection(Mode::RWXU);
        give_back(CWD, root.as_os_str(), rights)?;
        open_top(root).map(drop)
    }

    /// Puts aside what was not there. Answers what that was, in words.
    pub(super) fn sweep(&self, root: &Path, aside: &Path, review: Option<Review>) -> Vec<String> {
        // What is wrong with it is said by the walk.
        let _ = self.open(root);
        remove_stand_ins(root);
        match walk(root) {
            Ok(found) => self.put_aside(root, &found, aside, review),
            Err(error) => vec![format!(
                "the workspace could NOT be looked through for what others obey by themselves: {error}"
            )],
        }
    }

    fn put_aside(
        &self,
        root: &Path,
        found: &Found,
        aside: &Path,
        review: Option<Review>,
    ) -> Vec<String> {
        let known: BTreeMap<_, _> = self
            .kept
            .iter()
            .map(|(path, target)| (path, target))
            .collect();
        let target_of = |target: &Option<PathBuf>| target.clone().map(PathBuf::into_os_string);
        let is_new = |(path, target): &&(PathBuf, Option<PathBuf>)| {
            known.get(&path.clone().into_os_string()) != Some(&&target_of(target))
        };
        let new = found
            .kept
            .iter()
            .filter(is_new)
            .map(|(path, _)| path.clone());
        let is_unknown =
            |known: &BTreeSet<OsString>, path: &Path| !known.contains(path.as_os_str());
        let bare = found
            .bare
            .iter()
            .filter(|path| is_unknown(&self.bare, path));
        let deep = found
            .too_deep
            .iter()
            .filter(|path| is_unknown(&self.too_deep, path));
        let all = new
            .chain(bare.map(|path| path.join("HEAD")))
            .chain(deep.cloned());
        let all = all.filter(|path| {
            !review.is_some_and(|review| repositories::may_stay(root, path, review))
        });
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for path in all {
            let name = path.display().to_string();
            match move_aside(root, &path, aside) {
                Ok(()) => done.push(name),
                Err(error) => failed.push(format!("{name} ({error})")),
            }
        }
        self.restore_links(root);
        said(&done, &failed, aside)
    }

    /// A link cannot be kept from commands by a mount, which would be where it leads.
    fn restore_links(&self, root: &Path) {
        for (path, target) in &self.kept {
            if let Some(target) = target {
                // It is there as a rule.
                let _ = symlink(target, root.join(path));
            }
        }
    }
}

fn said(done: &[String], failed: &[String], aside: &Path) -> Vec<String> {
    let mut said = Vec::new();
    if !done.is_empty() {
        said.push(format!(
            "put aside what git, an editor or another tool would obey by itself: {} (now in {}); a command may make or change \
             repositories if the person says --allow git, and files of such names are made with CREATE_FILE, which shows them",
            done.join(", "),
            aside.display()
        ));
    }
    if !failed.is_empty() {
        let failed = failed.join(", ");
        said.push(format!(
            "could NOT be put aside, and has to be looked at: {failed}"
        ));
    }
    said
}

/// Moves something of the workspace to where nothing obeys it: to the agent's own files, or, on another disk, below
/// `.flylead` in the workspace.
fn move_aside(root: &Path, path: &Path, aside: &Path) -> io::Result<()> {
    let name = path.to_string_lossy().replace(['/', '.'], "-");
    let name: String = name
        .chars()
        .rev()
        .take(60)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let name = format!("{name}-{}", random_name().trim_start_matches(".flylead-"));
    private_folder(aside)?;
    let path = root.join(path);
    if let Some(above) = path.parent() {
        // Both have to be writable to whoever moves a folder, and a command decides about the modes of its own.
        let _ = give_back(CWD, above.as_os_str(), Mode::RWXU);
        let _ = give_back(CWD, path.as_os_str(), Mode::RWXU);
    }
    match fs::rename(&path, aside.join(&name)) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let near = root.join(super::OWN).join("aside");
            let mut above = near.ancestors().take(2);
            if let Some(link) = above.find(|path| path.is_symlink()) {
                return Err(io::Error::other(format!("{} is a link", link.display())));
            }
            private_folder(&near)?;
            fs::rename(&path, near.join(name))
        }
        moved => moved,
    }
}

fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

fn kept_from_commands(root: &Path, found: &Found) -> io::Result<Vec<PathBuf>> {
    let mut paths = BTreeSet::new();
    for (path, target) in &found.kept {
        let path = root.join(path);
        match target {
            None => drop(paths.insert(path)),
            // What it leads to, if that is in the workspace: the link itself is looked at afterwards.
            Some(_) => paths.extend(path.canonicalize().ok().filter(|to| is_below(root, to))),
        }
    }
    for folder in &found.bare {
        let folder = root.join(folder);
        match folder == root {
            false => drop(paths.insert(folder)),
            true => paths.extend(
                fs::read_dir(root)?
                    .flatten()
                    .map(|entry| entry.path())
                    .filter(|path| is_gits(path)),
            ),
        }
    }
    let gits: Vec<PathBuf> = found.kept.iter().map(|(path, _)| root.join(path)).collect();
    paths.extend(
        config::obeyed(&gits)
            .into_iter()
            .filter(|path| is_below(root, path)),
    );
    Ok(paths.into_iter().collect())
}

/// A part of a repository that is the workspace itself.
fn is_gits(path: &Path) -> bool {
    let names = "HEAD config hooks info objects refs packed-refs commondir modules worktrees";
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| names.split(' ').any(|it| it == name))
}

fn is_below(root: &Path, path: &Path) -> bool {
    path.starts_with(root) && path != root
}

/// The folders above what is kept, which could be renamed, and others put in their places.
fn pinned(root: &Path, kept: &[PathBuf]) -> Vec<PathBuf> {
    let above = kept.iter().flat_map(|path| path.ancestors().skip(1));
    let pinned: BTreeSet<_> = above.filter(|above| is_below(root, above)).collect();
    // Sorted, a folder comes before those in it.
    pinned.into_iter().map(Path::to_owned).collect()
}

fn make_stand_ins(root: &Path) -> Vec<PathBuf> {
    let paths = names::STAND_INS.iter().map(|name| root.join(name));
    let make = |path: &PathBuf| {
        // It fails where something is there already.
        let made = fs::DirBuilder::new().mode(STAND_IN).create(path);
        made.is_ok()
    };
    paths.filter(make).collect()
}

/// Those of a run that was killed too. They are known by their mode, which nothing else has, and are empty, or they stay.
pub(super) fn remove_stand_ins(root: &Path) {
    for path in names::STAND_INS.iter().map(|name| root.join(name)) {
        let metadata = path.symlink_metadata();
        if metadata.is_ok_and(|it| it.is_dir() && it.mode() & 0o7777 == STAND_IN) {
            let _ = fs::remove_dir(path);
        }
    }
}

/// For reading, and sticky.
const STAND_IN: u32 = 0o1500;
/// Number of files named that a command changed.
const MOST_MARKS: usize = 20;
/// Mounts take time, each the more the more there are.
const MOST: usize = 500;

#[cfg(test)]
mod tests;
