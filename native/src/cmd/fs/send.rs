//! Many files to the board, in few exchanges.

use std::{collections::BTreeSet, fs, path::PathBuf};

use flylead::{Board, BoardError};
use flylead_core::board::NewEntry;

use super::{Bar, Common, Failure, copy::here, place::at};

/// Something to send, to its path on the board.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: String,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Directory,
    File(PathBuf),
    Bytes(Vec<u8>),
}

impl Item {
    pub(crate) const fn file(path: String, from: PathBuf) -> Self {
        let content = Content::File(from);
        Self { path, content }
    }

    fn load(&self) -> Result<NewEntry, Failure> {
        let path = self.path.clone();
        Ok(match &self.content {
            Content::Directory => NewEntry::Directory { path },
            Content::Bytes(data) => {
                let data = data.clone();
                NewEntry::File { path, data }
            }
            Content::File(from) => {
                let data = fs::read(from).map_err(here(from))?;
                NewEntry::File { path, data }
            }
        })
    }

    fn size(&self) -> u64 {
        match &self.content {
            Content::Directory => 0,
            Content::Bytes(data) => data.len() as u64,
            Content::File(from) => fs::metadata(from).map_or(0, |metadata| metadata.len()),
        }
    }
}

/// These directories and all above them, those above first.
pub(crate) fn directories(paths: impl IntoIterator<Item = String>) -> Vec<Item> {
    let mut all = BTreeSet::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(end, _)| end);
        let above = ends.chain([path.len()]).map(|end| &path[..end]);
        all.extend(above.filter(|path| has_name(path)).map(str::to_owned));
    }
    let item = |path| Item {
        path,
        content: Content::Directory,
    };
    all.into_iter().map(item).collect()
}

/// Whether it ends in a name, and not in what is there by itself.
fn has_name(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    !matches!(last, "" | "." | "..")
}

/// These files, after the directories that they are in.
pub(crate) fn with_parents(files: Vec<Item>) -> Vec<Item> {
    let parent = |item: &Item| Some(item.path.rsplit_once('/')?.0.to_owned());
    let mut items = directories(files.iter().filter_map(parent));
    items.extend(files);
    items
}

/// Sends all, in this order, with one bar, and tells of each, and of its size, when it is in its place.
///
/// An error leaves what comes before it on the board.
pub(crate) async fn send(
    board: &mut Board,
    common: &Common,
    items: &[Item],
    tell: impl FnMut(&Item, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let total = items.iter().map(Item::size).sum();
    let mut sender = Sender {
        bar: Bar::new(common, "", Some(total)),
        done: 0,
        tell,
    };
    let mut left = items;
    while !left.is_empty() {
        let (entries, unreadable) = load(left);
        let (now, later) = left.split_at(entries.len());
        sender.send(board, now, entries).await?;
        left = later;
        if let Some(failure) = unreadable {
            return Err(failure);
        }
    }
    Ok(())
}

/// As many as are sent at once; they wait in memory. And why the next one cannot be read, if that is so.
fn load(items: &[Item]) -> (Vec<NewEntry>, Option<Failure>) {
    let mut entries = Vec::new();
    let mut bytes = 0;
    for item in items.iter().take(MAX_ENTRIES) {
        match item.load() {
            Ok(entry) => {
                bytes += entry.data().len();
                entries.push(entry);
            }
            Err(failure) => return (entries, Some(failure)),
        }
        if bytes >= MAX_BYTES {
            break;
        }
    }
    (entries, None)
}

const MAX_BYTES: usize = 1 << 20;
const MAX_ENTRIES: usize = 1000;

struct Sender<T> {
    bar: Bar,
    /// Bytes of what was sent before.
    done: u64,
    tell: T,
}

impl<T: FnMut(&Item, usize) -> Result<(), Failure>> Sender<T> {
    async fn send(
        &mut self,
        board: &mut Board,
        items: &[Item],
        entries: Vec<NewEntry>,
    ) -> Result<(), Failure> {
        let sizes: Vec<_> = entries.iter().map(|entry| entry.data().len()).collect();
        let mut in_place = 0;
        let sent = board
            .write_tree(entries, |mut progress| {
                in_place = progress.entries;
                if let Some(item) = items.get(in_place) {
                    self.bar.name(&item.path);
                }
                progress.done += self.done;
                self.bar.set(progress);
            })
            .await;
        if sent.is_ok() {
            in_place = items.len();
        }
        self.done += sizes.iter().sum::<usize>() as u64;
        let mut told = items.iter().zip(sizes).take(in_place);
        self.bar
            .suspend(|| told.try_for_each(|(item, size)| (self.tell)(item, size)))?;
        sent.map(drop)
            .map_err(|error| failure(items, in_place, error))
    }
}

/// With the path that is to blame, or at which it ended.
fn failure(items: &[Item], in_place: usize, error: BoardError) -> Failure {
    let path = items.get(in_place).map_or("", |item| &item.path);
    at(path)(error)
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
