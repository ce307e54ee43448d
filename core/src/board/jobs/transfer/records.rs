//! Files and directories as records in one stream of blocks.
//!
//! ```text
//! record   length of the name and kind (2) · size (4) · hash (32) · name · content
//! ```
//!
//! Numbers are little-endian. The highest bit of the name's length marks a directory, the next one a file for which the
//! old one is removed first. The head of a record is never divided among blocks, and a head without a name marks the end.
//! A block is a frame, so a record whose name was damaged has no effect.

use alloc::vec::Vec;

use super::hash;
use crate::board::{NewEntry, jobs::receiver::LEAST_BLOCK};

/// The bit of a name's length that marks a directory.
const DIRECTORY: u16 = 0x8000;
const OVERWRITE: u16 = 0x4000;
/// The head of a record without its name, in bytes.
const HEAD: usize = 38;

/// Returns true if the receiver can take this entry: its head must fit into any block.
pub(in crate::board) fn fits(entry: &NewEntry) -> bool {
    let (path, data) = (entry.path(), entry.data());
    !path.is_empty() && HEAD + path.len() <= LEAST_BLOCK && u32::try_from(data.len()).is_ok()
}

/// Stream of records, cut into blocks.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) entries: Vec<NewEntry>,
    /// Total bytes of content.
    pub(super) total: u64,
    /// The next entry, and the number of bytes of its content already sent; `None` before its head.
    next: usize,
    offset: Option<usize>,
    /// Bytes of content sent so far.
    pub(super) sent: u64,
    pub(super) ended: bool,
}

impl Records {
    pub(super) fn new(entries: Vec<NewEntry>) -> Self {
        let sizes = entries.iter().map(|entry| entry.data().len() as u64);
        Self {
            total: sizes.sum(),
            entries,
            next: 0,
            offset: None,
            sent: 0,
            ended: false,
        }
    }

    /// Returns the next bytes of the stream, at most `limit`, which has room for any head; the result is empty only at
    /// the end.
    pub(super) fn take(&mut self, limit: usize) -> Vec<u8> {
        let mut block = Vec::with_capacity(limit);
        while let Some(entry) = self.entries.get(self.next) {
            let offset = match self.offset {
                Some(offset) => offset,
                None if block.len() + HEAD + entry.path().len() > limit => return block,
                None => {
                    push_head(&mut block, entry);
                    0
                }
            };
            let rest = &entry.data()[offset..];
            let piece = &rest[..rest.len().min(limit - block.len())];
            block.extend_from_slice(piece);
            self.sent += piece.len() as u64;
            if piece.len() < rest.len() {
                self.offset = Some(offset + piece.len());
                return block;
            }
            self.next += 1;
            self.offset = None;
        }
        if block.len() + HEAD <= limit {
            push_end(&mut block);
            self.ended = true;
        }
        block
    }
}

fn push_head(block: &mut Vec<u8>, entry: &NewEntry) {
    let name = entry.path();
    let kind = match entry {
        NewEntry::File { .. } => 0,
        NewEntry::Overwrite { .. } => OVERWRITE,
        NewEntry::Directory { .. } => DIRECTORY,
    };
    let hash = hash(name, entry.data());
    push(block, name, kind, entry.data().len(), hash);
}

fn push_end(block: &mut Vec<u8>) {
    push(block, "", 0, 0, [0; 32]);
}

fn push(block: &mut Vec<u8>, name: &str, kind: u16, size: usize, hash: [u8; 32]) {
    block.extend_from_slice(&(name.len() as u16 | kind).to_le_bytes());
    block.extend_from_slice(&(size as u32).to_le_bytes());
    block.extend_from_slice(&hash);
    block.extend_from_slice(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String, vec};

    use super::*;

    fn entries() -> Vec<NewEntry> {
        let file = |number: usize| NewEntry::File {
            path: format!("lib/{number}"),
            data: vec![number as u8; number * number],
        };
        let folder = NewEntry::Directory { path: "lib".into() };
        [folder].into_iter().chain((0..40).map(file)).collect()
    }

    /// Reads the blocks as a board does.
    fn read(blocks: &[Vec<u8>]) -> Vec<NewEntry> {
        let mut entries = Vec::new();
        let mut open: Option<(String, usize, Vec<u8>)> = None;
        for block in blocks {
            let mut rest = block.as_slice();
            while !rest.is_empty() {
                let (path, size, mut data) = open.take().unwrap_or_else(|| {
                    let kind = u16::from_le_bytes([rest[0], rest[1]]);
                    let end = HEAD + usize::from(kind & !DIRECTORY);
                    let (head, content) = rest.split_at(end);
                    rest = content;
                    let path = String::from_utf8(head[HEAD..].to_vec()).expect("it is text");
                    let size = u32::from_le_bytes([head[2], head[3], head[4], head[5]]) as usize;
                    if kind & DIRECTORY != 0 {
                        entries.push(NewEntry::Directory { path: path.clone() });
                    }
                    (path, size, Vec::new())
                });
                let (piece, left) = rest.split_at(rest.len().min(size - data.len()));
                data.extend_from_slice(piece);
                rest = left;
                let is_folder = entries.last().is_some_and(|entry| entry.path() == path);
                if data.len() < size {
                    open = Some((path, size, data));
                } else if !is_folder && !path.is_empty() {
                    entries.push(NewEntry::File { path, data });
                }
            }
        }
        entries
    }

    #[test]
    fn blocks_of_any_size_carry_the_same_tree() {
        for limit in [48, 64, 100, LEAST_BLOCK, 4096, 60_000] {
            let mut records = Records::new(entries());
            let mut blocks = Vec::new();
            while !records.ended {
                blocks.push(records.take(limit));
            }
            let is_right = |block: &Vec<u8>| (1..=limit).contains(&block.len());
            assert!(blocks.iter().all(is_right), "{limit}");
            assert_eq!(read(&blocks), entries(), "{limit}");
            assert_eq!(records.sent, records.total);
        }
    }
}
