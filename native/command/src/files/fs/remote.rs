//! Looks up paths on the board.

use flylead_core::board::{self, Entry, EntryKind};
use flylead_native::{Board, BoardError};

use super::{Exit, Failure, at, join};

/// Entry at a path of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) kind: EntryKind,
    pub(crate) size: u64,
}

impl From<Entry> for Found {
    fn from(Entry { kind, size, .. }: Entry) -> Self {
        Self { kind, size }
    }
}

impl Found {
    pub(crate) fn is_directory(self) -> bool {
        self.kind == EntryKind::Directory
    }
}

/// Looks up a path; `None` if nothing is there.
pub(crate) async fn look(board: &mut Board, path: &str) -> Result<Option<Found>, Failure> {
    if path.trim_end_matches('/').is_empty() {
        let kind = EntryKind::Directory;
        return Ok(Some(Found { kind, size: 0 }));
    }
    Ok(entry(board, path).await?.map(Found::from))
}

/// Returns the entry of a file or directory; `None` if there is none. A board without `os.stat` has one flat directory,
/// whose list has the same facts.
pub(crate) async fn entry(board: &mut Board, path: &str) -> Result<Option<Entry>, Failure> {
    match board.stat(path).await {
        Ok(entry) => Ok(Some(entry)),
        Err(BoardError::File(board::Error::NotFound)) => Ok(None),
        Err(BoardError::File(board::Error::Unsupported { .. })) => {
            let mut entries = board.list("").await.map_err(at(path))?.into_iter();
            Ok(entries.find(|entry| entry.name == path))
        }
        Err(error) => Err(at(path)(error)),
    }
}

pub(crate) fn missing(path: &str) -> Failure {
    Failure::new(
        Exit::Refused,
        format!(":{path}: no such file or directory on the board"),
    )
}

/// Target on the board: a directory, or a new name.
#[derive(Debug)]
pub(crate) struct Target {
    path: String,
    is_directory: bool,
    found: Option<Found>,
}

/// Size of the file at a path, `None` if none is there.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) path: String,
    pub(crate) size: Option<u64>,
}

impl Target {
    /// Looks up the target.
    ///
    /// # Errors
    /// When several sources have no existing directory as their target.
    pub(crate) async fn find(
        board: &mut Board,
        path: &str,
        sources: usize,
    ) -> Result<Self, Failure> {
        let found = look(board, path).await?;
        let is_there = found.is_some_and(Found::is_directory);
        if sources > 1 && !is_there {
            return Err(no_directory_for_several(
                &format_args!(":{path}"),
                found.is_some(),
                "`flylead fs mkdir` creates it",
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            is_directory: is_there || path.ends_with('/'),
            found,
        })
    }

    /// Returns the known facts about the target's own path, unless it is a directory.
    pub(crate) fn known(&self) -> Option<Known> {
        let size = self.found.map(|found| found.size);
        (!self.is_directory).then(|| Known {
            path: self.path.clone(),
            size,
        })
    }

    /// Returns the path for a source of this name; for the content of a source, that of the target itself.
    pub(crate) fn path_for(&self, name: &str, contents_alone: bool) -> String {
        match self.is_directory && !contents_alone {
            true => join(&self.path, name),
            false => self.path.clone(),
        }
    }
}

/// Reports that several sources would overwrite each other.
pub(crate) fn no_directory_for_several(
    path: &dyn std::fmt::Display,
    is_there: bool,
    remedy: &str,
) -> Failure {
    let message = match is_there {
        true => format!("multiple sources require a target directory, but {path} is a file"),
        false => format!(
            "multiple sources require a target directory, but {path} does not exist; {remedy}"
        ),
    };
    Failure::new(Exit::Usage, message)
}

/// Returns the last part of a board's path.
pub(crate) fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}
