//! Skips files that the board already has: writing takes time, wears flash, and needs space for two.

use std::{collections::BTreeMap, fs};

use flylead_core::board;
use flylead_native::{Board, BoardError};
use sha2::{Digest as _, Sha256};

use crate::files::fs::{Content, Failure, Item, at, join, remote::Known};

/// Separates the items to send from those that the board already has, by size and hash. The file of which the size is
/// `known` is only hashed if it may be the same.
pub(crate) async fn part(
    board: &mut Board,
    items: Vec<Item>,
    known: Option<Known>,
) -> Result<(Vec<Item>, Vec<(Item, usize)>), Failure> {
    let sizes = items.iter().map(Item::size);
    if items.iter().all(is_file) && sizes.sum::<u64>() <= COMPARED_THERE {
        return Ok((items, Vec::new()));
    }
    let there = There::ask(board, &items, known).await?;
    let (mut new, mut unchanged) = (Vec::new(), Vec::new());
    for item in items {
        match there.has(board, &item).await? {
            Some(size) => unchanged.push((item, size)),
            None => new.push(item),
        }
    }
    Ok((new, unchanged))
}

const fn is_file(item: &Item) -> bool {
    !matches!(item.content, Content::Directory)
}

/// Sizes of the existing files in the directories that are to be made.
#[derive(Default)]
struct There {
    directories: Vec<String>,
    sizes: BTreeMap<String, u64>,
    known: Option<Known>,
}

impl There {
    async fn ask(board: &mut Board, items: &[Item], known: Option<Known>) -> Result<Self, Failure> {
        let sizes = known
            .iter()
            .filter_map(|it| Some((it.path.clone(), it.size?)));
        let mut there = Self {
            sizes: sizes.collect(),
            known,
            ..Self::default()
        };
        for Item { path, .. } in items.iter().filter(|item| !is_file(item)) {
            if there.is_known(path) {
                continue;
            }
            match board.tree(path, false).await {
                Ok(entries) => {
                    let sizes = entries
                        .into_iter()
                        .map(|entry| (join(path, &entry.name), entry.size));
                    there.sizes.extend(sizes);
                }
                Err(BoardError::File(error)) if is_none(&error) => {}
                Err(error) => return Err(at(path)(error)),
            }
            there.directories.push(path.clone());
        }
        Ok(there)
    }

    /// Returns true if the board was asked about a path, or about a directory with it.
    fn is_known(&self, path: &str) -> bool {
        if self.known.as_ref().is_some_and(|known| known.path == path) {
            return true;
        }
        let is_below = |directory: &String| {
            let rest = path.strip_prefix(directory.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.directories.iter().any(is_below)
    }

    /// Returns the size of an item, if the board has it.
    async fn has(&self, board: &mut Board, item: &Item) -> Result<Option<usize>, Failure> {
        let Item { path, content, .. } = item;
        if matches!(content, Content::Directory)
            || self.is_known(path) && self.sizes.get(path) != Some(&item.size())
        {
            return Ok(None);
        }
        let expected = match content {
            Content::Bytes(data, _) => Sha256::digest(data),
            Content::File(from) => match fs::read(from) {
                Ok(data) => Sha256::digest(data),
                // A file that cannot be read is reported when its turn comes.
                Err(_) => return Ok(None),
            },
            Content::Directory => return Ok(None),
        };
        let size = usize::try_from(item.size()).unwrap_or(usize::MAX);
        match board.sha256(path).await {
            Ok(hash) => Ok((hash[..] == expected[..]).then_some(size)),
            Err(BoardError::File(error)) if is_none(&error) => Ok(None),
            Err(error) => Err(at(path)(error)),
        }
    }
}

/// Returns true if the file does not exist, or the board does not know.
const fn is_none(error: &board::Error) -> bool {
    matches!(
        error,
        board::Error::NotFound
            | board::Error::NotDirectory
            | board::Error::IsDirectory
            | board::Error::Unsupported { .. }
    )
}

/// Limit in bytes: files up to this size are compared on the board, in the program that writes
/// them.
pub(super) const COMPARED_THERE: u64 = 4096;
