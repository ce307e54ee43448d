//! One file or directory on its way to a board.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use flylead_core::board::NewEntry;

/// File or directory to send to its path on the board.
#[derive(Debug)]
pub struct Item {
    /// Path on the board.
    pub path: String,
    /// Content.
    pub content: Content,
    /// True to remove the old file first; it is lost if the new one does not arrive.
    pub in_place: bool,
}

/// Content of an [`Item`].
#[derive(Debug)]
pub enum Content {
    /// A directory.
    Directory,
    /// File to read when its turn comes.
    File(PathBuf),
    /// Content already read, and its source.
    Bytes(Vec<u8>, PathBuf),
}

impl Item {
    /// Creates an item that leaves an old file untouched until the new one is complete.
    #[must_use]
    pub const fn new(path: String, content: Content) -> Self {
        let in_place = false;
        Self {
            path,
            content,
            in_place,
        }
    }

    /// Creates an item for a local file.
    #[must_use]
    pub const fn file(path: String, from: PathBuf) -> Self {
        Self::new(path, Content::File(from))
    }

    /// Returns the local file that the item comes from.
    #[must_use]
    pub fn from(&self) -> Option<&Path> {
        match &self.content {
            Content::Directory => None,
            Content::File(from) | Content::Bytes(_, from) => Some(from),
        }
    }

    pub(super) fn load(&self) -> io::Result<NewEntry> {
        let path = self.path.clone();
        let data = match &self.content {
            Content::Directory => return Ok(NewEntry::Directory { path }),
            Content::Bytes(data, _) => data.clone(),
            Content::File(from) => fs::read(from)?,
        };
        Ok(match self.in_place {
            true => NewEntry::Overwrite { path, data },
            false => NewEntry::File { path, data },
        })
    }

    /// Returns the content's length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Directory => 0,
            Content::Bytes(data, _) => data.len() as u64,
            Content::File(from) => fs::metadata(from).map_or(0, |metadata| metadata.len()),
        }
    }
}

/// Lists items for local files by their paths on the board.
#[must_use]
pub fn files(paths: &BTreeMap<String, PathBuf>) -> Vec<Item> {
    let paths = paths.iter();
    paths
        .map(|(path, from)| Item::file(path.clone(), from.clone()))
        .collect()
}

/// Returns these directories and their parents, parents first.
pub fn directories(paths: impl IntoIterator<Item = String>) -> Vec<Item> {
    let mut all = BTreeSet::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(end, _)| end);
        let above = ends.chain([path.len()]).map(|end| &path[..end]);
        all.extend(above.filter(|path| has_name(path)).map(str::to_owned));
    }
    let all = all.into_iter();
    all.map(|path| Item::new(path, Content::Directory))
        .collect()
}

/// Returns true if the path ends in a name, and not in an entry that always exists.
fn has_name(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    !matches!(last, "" | "." | "..")
}

/// Returns these files, after their directories.
#[must_use]
pub fn with_parents(files: Vec<Item>) -> Vec<Item> {
    let parent = |item: &Item| Some(item.path.rsplit_once('/')?.0.to_owned());
    let mut items = directories(files.iter().filter_map(parent));
    items.extend(files);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_directory_comes_once_and_after_those_above_it() {
        let paths = ["/lib/a/b/", "/lib/a", "../x//./y", "", "/", "."];
        let items = directories(paths.map(String::from));
        let paths: Vec<_> = items.iter().map(|item| item.path.as_str()).collect();
        assert_eq!(paths, ["../x", "../x//./y", "/lib", "/lib/a", "/lib/a/b"]);
    }
}
