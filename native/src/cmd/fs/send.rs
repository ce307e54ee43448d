//! Many files to the board, in few exchanges.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use flylead::{Board, BoardError};
use flylead_core::board::NewEntry;

use super::{Bar, Common, Failure, Skipped, at, here, skipped::is_about_one};

/// Something to send, to its path on the board.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: String,
    pub(crate) content: Content,
    /// Whether an old file makes room for it, and is lost if it does not arrive.
    pub(crate) in_place: bool,
}

#[derive(Debug)]
pub(crate) enum Content {
    Directory,
    /// What the file has when its turn comes.
    File(PathBuf),
    /// What was read already, and where that was.
    Bytes(Vec<u8>, PathBuf),
}

impl Item {
    pub(crate) const fn new(path: String, content: Content) -> Self {
        let in_place = false;
        Self {
            path,
            content,
            in_place,
        }
    }

    pub(crate) const fn file(path: String, from: PathBuf) -> Self {
        Self::new(path, Content::File(from))
    }

    /// The file of this computer that it comes from.
    pub(crate) fn from(&self) -> Option<&Path> {
        match &self.content {
            Content::Directory => None,
            Content::File(from) | Content::Bytes(_, from) => Some(from),
        }
    }

    fn load(&self) -> io::Result<NewEntry> {
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

    pub(crate) fn size(&self) -> u64 {
        match &self.content {
            Content::Directory => 0,
            Content::Bytes(data, _) => data.len() as u64,
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
    let all = all.into_iter();
    all.map(|path| Item::new(path, Content::Directory))
        .collect()
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
/// An error leaves what comes before it on the board. Where something may be skipped, what this computer cannot read
/// and what the board refuses is, and the rest is sent.
pub(crate) async fn send(
    board: &mut Board,
    common: &Common,
    items: &[Item],
    skipped: Option<&mut Skipped>,
    tell: impl FnMut(&Item, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let total = items.iter().map(Item::size).sum();
    let mut sender = Sender {
        bar: Bar::new(common, "", Some(total)),
        done: 0,
        skipped,
        tell,
    };
    let mut left: Vec<_> = items.iter().collect();
    while !left.is_empty() {
        let (entries, unreadable) = load(&left);
        let now: Vec<_> = left.drain(..entries.len()).collect();
        let refused = sender.send(board, &now, entries).await?;
        match (refused, unreadable) {
            (Some(index), _) => left = after_refusal(&now, index, left),
            (None, Some(error)) => sender.skip(left.remove(0), error)?,
            (None, None) => {}
        }
    }
    Ok(())
}

/// What is still to be sent when one was refused: nothing that would be in it.
fn after_refusal<'a>(now: &[&'a Item], index: usize, later: Vec<&'a Item>) -> Vec<&'a Item> {
    let inside = format!("{}/", now[index].path);
    let left = now[index + 1..].iter().copied().chain(later);
    left.filter(|item| !item.path.starts_with(&inside))
        .collect()
}

/// As many as are sent at once; they wait in memory. And why the next one cannot be read, if that is so.
fn load(items: &[&Item]) -> (Vec<NewEntry>, Option<io::Error>) {
    let mut entries = Vec::new();
    let mut bytes = 0;
    for item in items.iter().take(MAX_ENTRIES) {
        match item.load() {
            Ok(entry) => {
                bytes += entry.data().len();
                entries.push(entry);
            }
            Err(error) => return (entries, Some(error)),
        }
        if bytes >= MAX_BYTES {
            break;
        }
    }
    (entries, None)
}

const MAX_BYTES: usize = 1 << 20;
const MAX_ENTRIES: usize = 1000;

struct Sender<'a, T> {
    bar: Bar,
    /// Bytes of what was sent before.
    done: u64,
    skipped: Option<&'a mut Skipped>,
    tell: T,
}

impl<T: FnMut(&Item, usize) -> Result<(), Failure>> Sender<'_, T> {
    /// Sends these, up to the first that the board refuses; which that was, if it may be skipped.
    async fn send(
        &mut self,
        board: &mut Board,
        items: &[&Item],
        entries: Vec<NewEntry>,
    ) -> Result<Option<usize>, Failure> {
        if items.is_empty() {
            return Ok(None);
        }
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
        let sent_bytes: usize = sizes[..in_place].iter().sum();
        self.done += sent_bytes as u64;
        let mut told = items.iter().zip(sizes).take(in_place);
        self.bar
            .suspend(|| told.try_for_each(|(item, size)| (self.tell)(item, size)))?;
        match sent {
            Ok(_) => Ok(None),
            Err(error) => self.refusal(items, in_place, error).map(Some),
        }
    }

    /// Skips an item that the board has refused, and tells which it was.
    fn refusal(
        &mut self,
        items: &[&Item],
        in_place: usize,
        error: BoardError,
    ) -> Result<usize, Failure> {
        match (&mut self.skipped, is_about_one(&error), items.get(in_place)) {
            (Some(skipped), Some(reason), Some(item)) => {
                skipped.add(format_args!(":{}", item.path), reason);
                Ok(in_place)
            }
            _ => Err(failure(items, in_place, error)),
        }
    }

    /// Skips a file that this computer cannot read.
    fn skip(&mut self, item: &Item, error: io::Error) -> Result<(), Failure> {
        let from = item.from().unwrap_or(Path::new(""));
        match &mut self.skipped {
            Some(skipped) => skipped.add(from.display(), error),
            None => return Err(here(from)(error)),
        }
        Ok(())
    }
}

/// With the path that is to blame, or at which it ended.
fn failure(items: &[&Item], in_place: usize, error: BoardError) -> Failure {
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
