//! Repositories whose folder is outside of the workspace, shown to commands for reading.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::names::GIT;
use crate::state;

/// What git needs beside a workspace: the repository that it is a part of, or where its own one is.
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

/// The folder around the workspace that has a repository.
fn around(root: &Path) -> Option<PathBuf> {
    let above = root.ancestors().skip(1);
    above
        .map(Path::to_owned)
        .find(|folder| folder.join(GIT).exists())
}

/// Where a `.git` that is a file or a link leads, and what that one shares with others (gitrepository-layout(5)).
fn folders(git: &Path) -> Vec<PathBuf> {
    let Some(folder) = folder_of(git) else {
        return Vec::new();
    };
    let common = read_short(&folder.join("commondir"));
    let common = common.and_then(|common| folder.join(common.trim()).canonicalize().ok());
    match common {
        Some(common) if folder.starts_with(&common) => vec![common],
        common => common.into_iter().chain([folder]).collect(),
    }
}

/// The folder that a `.git` is or leads to.
pub(super) fn folder_of(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = read_short(git)?;
    let to = text.strip_prefix("gitdir:")?.trim();
    git.parent()?.join(to).canonicalize().ok()
}

/// A folder that holds all of the person's files is not shown for the sake of git.
fn is_showable(path: &Path) -> bool {
    let home = state::home().and_then(|home| home.canonicalize().ok());
    path.parent().is_some() && !home.is_some_and(|home| home.starts_with(path))
}

fn read_short(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    let is_short = metadata.is_file() && metadata.len() <= 64 * 1024;
    is_short.then(|| fs::read_to_string(path).ok()).flatten()
}
