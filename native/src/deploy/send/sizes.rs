//! Sizes of the files in the directories that new files go to.

use std::collections::BTreeMap;

use flylead_core::board::{Entry, Error};

use crate::{
    Board, BoardError,
    deploy::{Fault, join},
};

/// Files of some directories of a board, with their sizes. A board lists a directory in the time of one file's hash, and
/// only a file of the right size needs a hash.
#[derive(Debug, Default)]
pub struct Sizes(BTreeMap<String, BTreeMap<String, u64>>);

impl Sizes {
    /// Lists each directory that is to have several of these files.
    ///
    /// # Errors
    /// The board is lost, or refuses to list a directory that exists.
    pub async fn beside(
        board: &mut Board,
        paths: impl Iterator<Item = &str>,
    ) -> Result<Self, Fault> {
        let mut counts = BTreeMap::<&str, usize>::new();
        for path in paths {
            *counts.entry(parent(path)).or_default() += 1;
        }
        let mut sizes = Self::default();
        for (directory, _) in counts.into_iter().filter(|(_, count)| *count > 1) {
            let entries = entries(board, directory).await;
            let entries = entries.map_err(Fault::at(directory))?.into_iter();
            let files = entries.map(|entry| (join(directory, &entry.name), entry.size));
            sizes.0.insert(directory.to_owned(), files.collect());
        }
        Ok(sizes)
    }

    /// Returns false for a file that the board certainly lacks.
    #[must_use]
    pub fn may_exist(&self, path: &str) -> bool {
        let files = self.0.get(parent(path));
        files.is_none_or(|files| files.contains_key(path))
    }

    /// Returns false for a file that the board certainly lacks, or has with another size.
    #[must_use]
    pub fn may_have(&self, path: &str, size: usize) -> bool {
        let files = self.0.get(parent(path));
        files.is_none_or(|files| files.get(path) == Some(&(size as u64)))
    }
}

/// Lists a directory that may not exist.
async fn entries(board: &mut Board, directory: &str) -> Result<Vec<Entry>, BoardError> {
    if !directory.is_empty() && !board.exists(directory).await? {
        return Ok(Vec::new());
    }
    match board.list_without_times(directory).await {
        Err(BoardError::File(Error::NotFound | Error::NotDirectory)) => Ok(Vec::new()),
        listed => listed,
    }
}

/// Returns the path of a file's directory; empty for the current one.
fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_listed_directory_tells_what_is_missing() {
        let files = BTreeMap::from([("lib/a.py".to_owned(), 3)]);
        let sizes = Sizes(BTreeMap::from([("lib".to_owned(), files)]));
        let cases = [
            ("lib/a.py", 3, true, true),
            ("lib/a.py", 4, true, false),
            ("lib/b.py", 3, false, false),
            ("b.py", 3, true, true),
            ("/lib/b.py", 3, true, true),
        ];
        for (path, size, exists, has) in cases {
            assert_eq!(sizes.may_exist(path), exists, "{path}");
            assert_eq!(sizes.may_have(path, size), has, "{path} of {size}");
        }
        assert_eq!(
            ["a", "/a", "/a/b", "a/b/c"].map(parent),
            ["", "/", "/a", "a/b"]
        );
    }
}
