//! What a test file imports, to the board.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::PathBuf,
};

use flylead_core::board::{Error, NewEntry};
use sha2::{Digest as _, Sha256};

use crate::{Board, BoardError};

/// Why the modules of a test file are not on the board.
#[derive(Debug)]
pub enum SyncError {
    /// A file of this computer cannot be read.
    Here(PathBuf, io::Error),
    /// The board did not take this one.
    Board(String, BoardError),
}

/// Sends the files that differ from those on the board, by their hashes, and returns how many these are.
///
/// # Errors
/// A file cannot be read here, or not be written there.
pub async fn sync(
    board: &mut Board,
    modules: &BTreeMap<String, PathBuf>,
) -> Result<usize, SyncError> {
    let mut files = Vec::new();
    for (path, here) in modules {
        let data = fs::read(here).map_err(|error| SyncError::Here(here.clone(), error))?;
        let same = is_same(board, path, &data).await;
        if !same.map_err(|error| SyncError::Board(path.clone(), error))? {
            let path = path.clone();
            files.push(NewEntry::File { path, data });
        }
    }
    let sent = files.len();
    if let Some(first) = files.first() {
        let first = first.path().to_owned();
        let entries = folders(&files).into_iter().chain(files).collect();
        let written = board.write_tree(entries, |_| ()).await;
        written.map_err(|error| SyncError::Board(first, error))?;
    }
    Ok(sent)
}

async fn is_same(board: &mut Board, path: &str, data: &[u8]) -> Result<bool, BoardError> {
    match board.sha256(path).await {
        Ok(hash) => Ok(hash == <[u8; 32]>::from(Sha256::digest(data))),
        Err(BoardError::File(Error::NotFound)) => Ok(false),
        // A board that has no SHA-256 is a small one.
        Err(BoardError::File(Error::Unsupported { .. })) => match board.read(path, |_| ()).await {
            Ok(there) => Ok(there == data),
            Err(BoardError::File(Error::NotFound)) => Ok(false),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// The directories that files are in, those above first.
fn folders(files: &[NewEntry]) -> Vec<NewEntry> {
    let paths = files.iter().flat_map(|file| {
        let path = file.path();
        path.match_indices('/')
            .map(|(end, _)| path[..end].to_owned())
    });
    let paths: BTreeSet<_> = paths.collect();
    let folder = |path| NewEntry::Directory { path };
    paths.into_iter().map(folder).collect()
}

impl fmt::Display for SyncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(path, error) => write!(f, "{} cannot be read: {error}", path.display()),
            Self::Board(path, error) => write!(f, "{path} cannot be put on the board: {error}"),
        }
    }
}

impl std::error::Error for SyncError {}
