//! Repositories whose folders are outside the workspace, shown to commands read-only.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::super::runs::GIT;
use crate::{
    agent::workspace::{GitChange, Review},
    os::state,
};

/// Returns the paths that git needs besides a workspace: the repository that contains it, or the folder of its own.
pub(super) fn beside(root: &Path) -> Vec<PathBuf> {
    let git = root.join(GIT);
    let found = match git.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => Vec::new(),
        Ok(_) => folders(&git),
        Err(_) => around(root)
            .into_iter()
            .flat_map(|top| {
                let mut shown = folders(&top.join(GIT));
                shown.insert(0, top);
                shown
            })
            .collect(),
    };
    let is_outside = |path: &PathBuf| !path.starts_with(root);
    found
        .into_iter()
        .filter(is_outside)
        .filter(|path| is_showable(path))
        .collect()
}

/// Returns the folders of the repositories that a command may be allowed to change: those in the workspace, the one
/// that contains it, or the one that it will become. Links and files named `.git` are followed as git does.
pub(super) fn writable(root: &Path, kept: &[PathBuf]) -> Vec<PathBuf> {
    let is_git = |path: &&PathBuf| path.file_name().is_some_and(|name| name == GIT);
    let mut gits: Vec<PathBuf> = kept.iter().filter(is_git).cloned().collect();
    if !gits.contains(&root.join(GIT)) {
        gits.push(around(root).unwrap_or_else(|| root.to_owned()).join(GIT));
    }
    let resolve = |git: PathBuf| match git.symlink_metadata() {
        Ok(metadata) if !metadata.is_dir() => folders(&git),
        _ => vec![git],
    };
    let mut found: Vec<PathBuf> = gits.into_iter().flat_map(resolve).collect();
    found.sort();
    found.dedup();
    let all = found.clone();
    // What is in another one comes with it.
    found.retain(|path| {
        !all.iter()
            .any(|other| other != path && path.starts_with(other))
    });
    found
}

/// Returns true if the person agrees to keep a repository that a command made. A folder that is not
/// a repository needs no question.
pub(super) fn may_stay(root: &Path, path: &Path, review: Review) -> bool {
    let git = match path.file_name().and_then(|name| name.to_str()) {
        Some(GIT) => folder_of(&root.join(path)).unwrap_or_else(|| root.join(path)),
        Some("HEAD") => root.join(path).parent().unwrap_or(root).to_owned(),
        _ => return false,
    };
    let mut text = read_short(&git.join("config")).unwrap_or_default();
    for hook in fs::read_dir(git.join("hooks"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = hook.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".sample") {
            text += &format!("a hook: {name}\n");
        }
    }
    text.insert_str(0, "a new repository, with these settings:\n");
    let path = path.display().to_string();
    review(&[GitChange { path, text }])
}

/// Returns the folder around the workspace that has a repository. Like git, ignores one that belongs to another user or
/// is writable by anyone, such as in the folder for temporary files (git-config(1), `safe.directory`).
pub(super) fn around(root: &Path) -> Option<PathBuf> {
    let above = root.ancestors().skip(1).map(Path::to_owned);
    let mut repositories = above.filter(|folder| folder.join(GIT).exists());
    repositories.next().filter(|folder| {
        folder.metadata().is_ok_and(|metadata| {
            metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o002 == 0
        })
    })
}

/// Lists sockets, pipes and devices in the folders shown read-only, outside the workspace. A command could write to the
/// programs behind them nevertheless.
///
/// # Errors
/// There are too many files to inspect.
pub(super) fn special(shown: &[PathBuf], root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut folders = shown.to_vec();
    while let Some(folder) = folders.pop() {
        // What cannot be read here cannot be by the command.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            looked_at += 1;
            if kind.is_dir() && path != root && !path.ends_with(".git/objects") {
                folders.push(path);
            } else if !kind.is_dir() && !kind.is_file() && !kind.is_symlink() {
                found.push(path);
            }
        }
        if looked_at > MOST_LOOKED_AT {
            let why = format!(
                "git would show commands more than {MOST_LOOKED_AT} files outside the workspace; use the whole repository as the workspace"
            );
            return Err(io::Error::other(why));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Limit of files, more than the largest repositories have.
const MOST_LOOKED_AT: usize = 2_000_000;

/// Returns the target of a `.git` that is a file or a link, and the folder that it shares with
/// others (gitrepository-layout(5)).
fn folders(git: &Path) -> Vec<PathBuf> {
    let folder = folder_of(git).filter(|folder| is_repository(folder));
    let Some(folder) = folder.filter(|folder| belongs_to(folder, git)) else {
        return Vec::new();
    };
    let common = read_short(&folder.join("commondir"));
    let common = common.and_then(|common| folder.join(common.trim()).canonicalize().ok());
    // Of a further working tree it is the folder above (git-worktree(1), "DETAILS").
    let common = common.filter(|common| folder.starts_with(common) && is_repository(common));
    vec![common.unwrap_or(folder)]
}

/// Returns true if a folder passes git's own check for a repository (setup.c, `is_git_directory`).
/// A file `.git` in an archive may name a folder of keys.
fn is_repository(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))
}

/// Returns true if a repository belongs to the working tree that names it, rather than to another one of the user: it
/// confirms that by a file `gitdir`, as those of git-worktree(1), or by `core.worktree`, as those of submodules.
fn belongs_to(folder: &Path, git: &Path) -> bool {
    if git
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir())
    {
        return true;
    }
    let back = read_short(&folder.join("gitdir"));
    let back = back.and_then(|back| Some(folder.join(back.trim()).parent()?.to_owned()));
    let config = read_short(&folder.join("config")).unwrap_or_default();
    let worktree = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let is_it = name.trim().eq_ignore_ascii_case("worktree");
        is_it.then(|| folder.join(value.trim()))
    });
    let tree = git.parent().and_then(|tree| tree.canonicalize().ok());
    let is_tree = |path: PathBuf| path.canonicalize().ok() == tree;
    tree.is_some() && back.into_iter().chain(worktree).any(is_tree)
}

/// Returns the folder that a `.git` is or leads to.
pub(super) fn folder_of(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = read_short(git)?;
    let to = text.strip_prefix("gitdir:")?.trim();
    git.parent()?.join(to).canonicalize().ok()
}

/// Returns false for a folder that contains all of the user's files: it is not shown even if git needs it.
fn is_showable(path: &Path) -> bool {
    let home = state::home().and_then(|home| home.canonicalize().ok());
    path.parent().is_some() && !home.is_some_and(|home| home.starts_with(path))
}

fn read_short(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    let is_short = metadata.is_file() && metadata.len() <= 64 * 1024;
    is_short.then(|| fs::read_to_string(path).ok()).flatten()
}
