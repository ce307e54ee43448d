//! Lists the files of a folder that git does not ignore.

use std::path::Path;

use flylead_core::agent::{
    FileEntry,
    path::{self, Names, WorkspacePath},
};
use ignore::{DirEntry, WalkBuilder};

use super::FileError;

/// Lists names and sizes, sorted by path. Links are neither followed nor listed; `.git` and other protected folders are
/// not entered.
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

/// Returns the paths of temporary files left by killed runs of this program, which nobody writes while the session's
/// folder is locked.
pub(super) fn leftovers(root: &Path) -> Vec<String> {
    let entries = WalkBuilder::new(root)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let of_ours = |entry: DirEntry| {
        let is_left = entry.file_name().to_str().is_some_and(is_leftover);
        let is_left = is_left && entry.file_type().is_some_and(|kind| kind.is_file());
        is_left.then(|| relative(root, &entry)).flatten()
    };
    entries.flatten().filter_map(of_ours).collect()
}

/// Returns true for `.flylead-` and 16 hexadecimal digits, as [`super::random_name`] makes them.
fn is_leftover(name: &str) -> bool {
    let digits = name
        .strip_prefix(".flylead-")
        .and_then(|name| name.strip_suffix(".tmp"));
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn walk(root: &Path) -> ignore::Walk {
    // The rules of a repository hold in each of its folders; without one, those of folders above are no business of ours.
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(in_repository)
        .git_global(false)
        .parents(in_repository)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
}

fn relative(root: &Path, entry: &DirEntry) -> Option<String> {
    let inside = entry.path().strip_prefix(root).ok()?;
    let names = inside.iter().map(|name| name.to_string_lossy());
    Some(names.collect::<Vec<_>>().join("/"))
}

fn file_entry(
    root: &Path,
    entry: &DirEntry,
    is_protected: impl Fn(&WorkspacePath) -> bool,
) -> Option<FileEntry> {
    if !entry.file_type()?.is_file() {
        return None;
    }
    let path =
        relative(root, entry).filter(|_| !entry.file_name().to_str().is_some_and(is_leftover))?;
    let protected = path::judge(&path, Names::Unix).is_ok_and(|(path, _)| is_protected(&path));
    let bytes = entry.metadata().ok()?.len();
    (!protected).then_some(FileEntry { path, bytes })
}
