//! What git would run by itself: its hooks and its settings, put back when a command has changed them.
//!
//! A sandbox cannot take `.git` out of the folder, and whoever builds or commits needs it. But a hook or a setting that a
//! command leaves there would run later and outside, at the person's next `git`. This is about the workspace's own
//! repository; hooks that it keeps among its files (`core.hooksPath`) are files like others.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Permissions};

use super::{folder::random_name, folder::write_temporary, place::reading};

/// Those files as they are before a command.
#[derive(Debug, Default)]
pub(super) struct Guard {
    before: BTreeMap<String, Kept>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kept {
    File(Vec<u8>, Permissions),
    Link(PathBuf),
}

impl Guard {
    /// Looks at what is there. What cannot be read is not guarded.
    pub(super) fn of(root: &Dir) -> Self {
        Self {
            before: guarded(root),
        }
    }

    /// Puts back what is not as it was, and answers the paths.
    pub(super) fn put_back(&self, root: &Dir) -> Vec<String> {
        let after = guarded(root);
        let mut changed = Vec::new();
        for (path, now) in &after {
            let was = self.before.get(path);
            if was != Some(now) && !is_harmless(path, was) {
                changed.push(path.clone());
            }
        }
        let gone = self.before.keys().filter(|path| !after.contains_key(*path));
        changed.extend(gone.cloned());
        // Without its folder there is nothing that git would run; a file in its place may say where else there is.
        changed.retain(|path| {
            let has_folder = root.open_dir_nofollow(GIT).is_ok();
            (has_folder || path == GIT) && self.restore(root, path).is_ok()
        });
        changed
    }

    fn restore(&self, root: &Dir, path: &str) -> io::Result<()> {
        let (dir, name) = parent(root, path)?;
        match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_dir() => dir.remove_dir_all(name)?,
            Ok(_) => dir.remove_file(name)?,
            Err(_) => {}
        }
        match self.before.get(path) {
            None => Ok(()),
            Some(Kept::Link(target)) => link(&dir, target, name),
            Some(Kept::File(content, permissions)) => {
                let temporary = random_name()?;
                write_temporary(&dir, &temporary, content, Some(permissions.clone()))?;
                dir.rename(&temporary, &dir, name)
            }
        }
    }
}

/// A repository that was just made has settings, and samples that git never runs.
fn is_harmless(path: &str, was: Option<&Kept>) -> bool {
    let is_sample = Path::new(path)
        .extension()
        .is_some_and(|end| end == "sample");
    was.is_none() && (is_sample || path.ends_with("/config"))
}

fn guarded(root: &Dir) -> BTreeMap<String, Kept> {
    let mut found = BTreeMap::new();
    match root.symlink_metadata(GIT) {
        Ok(metadata) if metadata.is_dir() => {
            if let Ok(git) = root.open_dir_nofollow(GIT) {
                look_into(&git, GIT, &mut found);
            }
        }
        Ok(metadata) => {
            let kept = keep(root, GIT, metadata.is_symlink());
            found.extend(kept.map(|kept| (GIT.to_owned(), kept)));
        }
        Err(_) => {}
    }
    found
}

/// The files of one folder, and of those below it where there may be more of them.
fn look_into(dir: &Dir, path: &str, found: &mut BTreeMap<String, Kept>) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let below = format!("{path}/{name}");
        if found.len() >= FILES {
            return;
        }
        let is_wanted = below.contains(HOOKS) || SETTINGS.contains(&name.as_str());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && may_hold(&below, &name) => {
                if let Ok(dir) = dir.open_dir_nofollow(&name) {
                    look_into(&dir, &below, found);
                }
            }
            Ok(kind) if !kind.is_dir() && is_wanted => {
                found.extend(keep(dir, &name, kind.is_symlink()).map(|kept| (below, kept)));
            }
            _ => {}
        }
    }
}

/// `hooks`, and the repositories of submodules and working trees.
fn may_hold(path: &str, name: &str) -> bool {
    let is_other_repository =
        path.starts_with(".git/modules") || path.starts_with(".git/worktrees");
    path.contains(HOOKS) || is_other_repository && !BULK.contains(&name)
}

fn keep(dir: &Dir, name: &str, is_link: bool) -> Option<Kept> {
    if is_link {
        return dir.read_link_contents(name).ok().map(Kept::Link);
    }
    let file = dir.open_with(name, &reading()).ok()?;
    let metadata = file.metadata().ok()?;
    let mut content = Vec::new();
    file.take(LARGEST).read_to_end(&mut content).ok()?;
    let is_whole = metadata.is_file() && content.len() as u64 == metadata.len();
    is_whole.then(|| Kept::File(content, metadata.permissions()))
}

/// The folder of a path, made if it is gone, and the last name.
fn parent<'a>(root: &Dir, path: &'a str) -> io::Result<(Dir, &'a str)> {
    let mut dir = root.try_clone()?;
    let Some((folders, name)) = path.rsplit_once('/') else {
        return Ok((dir, path));
    };
    for folder in folders.split('/') {
        let is_folder = dir.symlink_metadata(folder).map(|it| it.is_dir());
        match is_folder {
            Ok(true) => {}
            Ok(false) => {
                dir.remove_file(folder)?;
                dir.create_dir(folder)?;
            }
            Err(_) => dir.create_dir(folder)?,
        }
        dir = dir.open_dir_nofollow(folder)?;
    }
    Ok((dir, name))
}

#[cfg(unix)]
fn link(dir: &Dir, target: &Path, name: &str) -> io::Result<()> {
    dir.symlink_contents(target, name)
}

#[cfg(not(unix))]
fn link(_: &Dir, _: &Path, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

const GIT: &str = ".git";
const HOOKS: &str = "/hooks";
/// Settings, and the file that says where else they are.
const SETTINGS: [&str; 3] = ["config", "config.worktree", "commondir"];
/// What is large and holds neither.
const BULK: [&str; 4] = ["objects", "refs", "logs", "lfs"];
const FILES: usize = 2000;
const LARGEST: u64 = 1024 * 1024;
