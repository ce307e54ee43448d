//! The files of a folder, without what git ignores.

use std::path::Path;

use flylead_core::agent::{
    FileEntry,
    path::{self, Names, WorkspacePath},
};
use ignore::{DirEntry, WalkBuilder};

use super::FileError;

/// Lists names and sizes, sorted by path. Links are not followed and not listed; `.git` and what else is protected
/// is not entered.
pub(super) fn files(
    root: &Path,
    is_protected: impl Fn(&WorkspacePath) -> bool,
) -> Result<Vec<FileEntry>, FileError> {
    let mut entries = Vec::new();
    for entry in walk(root) {
        let Ok(entry) = entry else { continue };
        if let Some(file) = file_entry(root, &entry, &is_protected) {
            entries.push(file);
        }
    }
    entries.sort();
    Ok(entries)
}

fn walk(root: &Path) -> ignore::Walk {
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .parents(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}

fn file_entry(
    root: &Path,
    entry: &DirEntry,
    is_protected: impl Fn(&WorkspacePath) -> bool,
) -> Option<FileEntry> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let inside = entry.path().strip_prefix(root).ok()?;
    let path = inside
        .iter()
        .map(|name| name.to_string_lossy())
        .collect::<Vec<_>>()
        .join("/");
    let protected = path::judge(&path, Names::Unix).is_ok_and(|(path, _)| is_protected(&path));
    let bytes = entry.metadata().ok()?.len();
    (!protected).then_some(FileEntry { path, bytes })
}
