//! Sends many files to a board in few exchanges.

mod sizes;

pub use sizes::Sizes;

use std::{io, path::PathBuf};

use flylead_core::board::{CONTENT_LIMIT, Error, NewEntry, Progress};

use crate::{Board, BoardError};

use super::{Fault, Item, Skipped};

/// Receiver of the progress of a transfer.
pub trait Listener {
    /// Reports the start of the transfer, with the total number of bytes.
    fn begins(&mut self, _total: u64) {}

    /// Reports that the transfer has reached this item; `done` bytes of the total are on the board.
    fn is_at(&mut self, _item: &Item, _done: u64) {}

    /// Reports that an item of this size is complete on the board. An error ends the transfer.
    ///
    /// # Errors
    /// The receiver wants no more items.
    fn sent(&mut self, _item: &Item, _bytes: usize) -> Result<(), Fault> {
        Ok(())
    }
}

/// Ignores the progress.
impl Listener for () {}

/// Sends all items in this order, and reports each one once it is complete on the board.
///
/// If `skipped` is given, items that this computer cannot read or that the board refuses are skipped, and the rest is
/// sent.
///
/// # Errors
/// The board is lost, or refuses an item that may not be skipped. The items before it are on the board.
pub async fn send(
    board: &mut Board,
    items: &[Item],
    skipped: Option<&mut Skipped>,
    listener: &mut impl Listener,
) -> Result<(), Fault> {
    let total = items.iter().map(Item::size).sum();
    listener.begins(total);
    let limit = match total <= FEW_BYTES {
        true => CONTENT_LIMIT,
        false => MAX_BYTES,
    };
    let mut sender = Sender {
        done: 0,
        skipped,
        listener,
    };
    let mut left: Vec<_> = items.iter().collect();
    while !left.is_empty() {
        let (entries, unreadable) = load(&left, limit);
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

/// Returns the items still to send after a refusal, without those inside the refused one.
fn after_refusal<'a>(now: &[&'a Item], index: usize, later: Vec<&'a Item>) -> Vec<&'a Item> {
    let inside = format!("{}/", now[index].path);
    let left = now[index + 1..].iter().copied().chain(later);
    left.filter(|item| !item.path.starts_with(&inside))
        .collect()
}

/// Reads as many items as are sent at once, of `limit` bytes or a single one, which wait in memory. Also returns the reason
/// why the next one cannot be read, if so.
fn load(items: &[&Item], limit: usize) -> (Vec<NewEntry>, Option<io::Error>) {
    let mut entries = Vec::new();
    let mut bytes = 0;
    for item in items.iter().take(MAX_ENTRIES) {
        match item.load() {
            Ok(entry) => {
                let before = bytes;
                bytes += entry.data().len();
                if bytes > limit && before > 0 {
                    break;
                }
                entries.push(entry);
            }
            Err(error) => return (entries, Some(error)),
        }
    }
    (entries, None)
}

/// Number of bytes up to which programs with small contents in them are faster than the receiver, which the board must
/// compile first.
const FEW_BYTES: u64 = 3 * CONTENT_LIMIT as u64;
const MAX_BYTES: usize = 1 << 20;
const MAX_ENTRIES: usize = 1000;

struct Sender<'a, L> {
    /// Number of bytes sent before.
    done: u64,
    skipped: Option<&'a mut Skipped>,
    listener: &'a mut L,
}

impl<L: Listener> Sender<'_, L> {
    /// Sends items up to the first one that the board refuses, and returns its index if it may be skipped.
    async fn send(
        &mut self,
        board: &mut Board,
        items: &[&Item],
        entries: Vec<NewEntry>,
    ) -> Result<Option<usize>, Fault> {
        if items.is_empty() {
            return Ok(None);
        }
        let sizes: Vec<_> = entries.iter().map(|entry| entry.data().len()).collect();
        let mut in_place = 0;
        self.listener.is_at(items[0], self.done);
        let sent = board
            .write_tree(entries, |progress: Progress| {
                in_place = progress.entries;
                if let Some(item) = items.get(in_place) {
                    self.listener.is_at(item, self.done + progress.done);
                }
            })
            .await;
        if sent.is_ok() {
            in_place = items.len();
        }
        let sent_bytes: usize = sizes[..in_place].iter().sum();
        self.done += sent_bytes as u64;
        for (item, size) in items.iter().zip(sizes).take(in_place) {
            self.listener.sent(item, size)?;
        }
        match sent {
            Ok(_) => Ok(None),
            Err(error) => self.refusal(items, in_place, error).map(Some),
        }
    }

    /// Skips an item that the board has refused, and returns its index.
    fn refusal(
        &mut self,
        items: &[&Item],
        in_place: usize,
        error: BoardError,
    ) -> Result<usize, Fault> {
        match (&mut self.skipped, is_about_one(&error), items.get(in_place)) {
            (Some(skipped), Some(reason), Some(item)) => {
                skipped.add(format_args!(":{}", item.path), reason);
                Ok(in_place)
            }
            _ => {
                let path = items.get(in_place).map(|item| item.path.clone());
                Err(Fault::at(path.unwrap_or_default())(error))
            }
        }
    }

    /// Skips a file that this computer cannot read.
    fn skip(&mut self, item: &Item, error: io::Error) -> Result<(), Fault> {
        let from = item.from().map_or_else(PathBuf::new, PathBuf::from);
        match &mut self.skipped {
            Some(skipped) => skipped.add(from.display(), error),
            None => return Err(Fault::Here(from, error)),
        }
        Ok(())
    }
}

/// Returns the error if the board refuses a single entry, which does not endanger the others. An old file that may be
/// lost is never skipped: it ends the copy with an error of its own.
#[must_use]
pub fn is_about_one(error: &BoardError) -> Option<&Error> {
    let BoardError::File(error) = error else {
        return None;
    };
    let mut error = error;
    if let Error::Entry { error: reason, .. } = error {
        error = reason;
    }
    matches!(
        error,
        Error::NotFound
            | Error::Exists
            | Error::IsDirectory
            | Error::NotDirectory
            | Error::NotEmpty
            | Error::NameTooLong
            | Error::Invalid
            | Error::Busy
            | Error::Denied
            | Error::Raised(_)
    )
    .then_some(error)
}
