//! Decides which entries of a folder stay on this computer.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;

use flylead_core::agent::is_named_secret;

/// Entries of one folder that stay here.
#[derive(Debug)]
pub(super) struct Home {
    /// Paths that git does not ignore, relative to the folder; `None` outside of repositories.
    tracked: Option<BTreeSet<PathBuf>>,
}

impl Home {
    pub(super) fn of(root: &Path) -> Self {
        let is_in_repository = root
            .canonicalize()
            .is_ok_and(|real| real.ancestors().any(|folder| folder.join(".git").exists()));
        Self {
            tracked: is_in_repository.then(|| tracked(root)),
        }
    }

    /// Returns the reason why an entry stays here. git does not know what lies behind a link.
    pub(super) fn keeps(&self, name: &str, is_linked: bool) -> Option<&'static str> {
        let last = name.rsplit('/').next().unwrap_or(name);
        if VERSION_CONTROL.contains(&last) {
            return Some("version control");
        }
        if CACHES.contains(&last) {
            return Some("a cache");
        }
        if last == STUBS || last.ends_with(".pyi") {
            return Some("stubs are for editors");
        }
        // A module of this name is part of the program: MicroPython's examples keep a network's password in secrets.py.
        let is_module = last.ends_with(".py") || last.ends_with(".mpy");
        if !is_module && is_named_secret(name).is_some() {
            return Some("it looks like a secret");
        }
        let is_ignored = |tracked: &BTreeSet<PathBuf>| !tracked.contains(Path::new(name));
        let is_ignored = !is_linked && self.tracked.as_ref().is_some_and(is_ignored);
        is_ignored.then_some("git ignores it")
    }
}

fn tracked(root: &Path) -> BTreeSet<PathBuf> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .ignore(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let inside = walk.flatten().filter_map(|entry| {
        let inside = entry.path().strip_prefix(root).ok()?;
        Some(inside.to_owned())
    });
    inside.collect()
}

const VERSION_CONTROL: [&str; 6] = [".git", ".gitignore", ".gitattributes", ".hg", ".svn", ".jj"];
/// Folder in which pyright, and editors with it, look for stubs.
const STUBS: &str = "typings";
const CACHES: [&str; 6] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".DS_Store",
    "Thumbs.db",
];
