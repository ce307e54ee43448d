//! The board's receiver: any number of files and directories, as records in one stream of blocks.
//!
//! ```text
//! block    length (2 bytes) · 1 for deflate, or 0 (1 byte) · records, or pieces of them
//! record   check (4) · length of the name (2, the highest bit for a directory) · size (4) · hash (32) · name · content
//! ```
//!
//! Numbers begin with their lowest byte. The check is the beginning of the SHA-256 of what follows it up to the content:
//! nothing is done about a name that the line has changed. The head of a record is never divided among blocks, and
//! one without a name is the end. A block is read whole before anything is done with it, and the next one is sent when
//! it is acknowledged: a board without flow control is never written to while its flash keeps it busy.

use alloc::{boxed::Box, string::String, vec::Vec};

use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};

use super::{DEFLATE_LEVEL, FAST_LINK, LEAST_BLOCK, Part, hash, is_slow};
use crate::{
    Instant,
    board::{
        Answer, Error, NewEntry, Progress, TransferMethod, Written,
        job::{Job, JobContext, Step},
    },
    raw_repl::Outcome,
};

const DIRECTORY: u16 = 0x8000;
const BLOCK_HEAD: usize = 3;
/// A block is taken.
const ACKNOWLEDGED: u8 = b'+';
/// A file or directory is in its place.
const IN_PLACE: u8 = b'.';
/// The head of a record without its name.
const HEAD: usize = 42;
const CHECK: usize = 4;
/// The board's window.
const DEFLATE_LIMIT: usize = 16 * 1024;

/// Whether the receiver can take this.
pub(in crate::board) fn fits(path: &str, data: &[u8]) -> bool {
    !path.is_empty() && HEAD + path.len() <= LEAST_BLOCK && u32::try_from(data.len()).is_ok()
}

/// Writes files and makes directories.
#[derive(Debug)]
pub(in crate::board) struct StreamWrite {
    records: Records,
    block: usize,
    deflates: bool,
    deflated: bool,
    on_wire: usize,
    in_flight: Option<(Instant, usize)>,
    acknowledged: u64,
    /// How many entries, and how many bytes of content.
    in_place: usize,
    bytes_in_place: u64,
    ready: bool,
    cancelled: bool,
    names_entry: bool,
    then: Option<String>,
}

impl StreamWrite {
    /// Writes one file, then runs `then` if there is such a program.
    pub(in crate::board) fn file(path: String, data: Vec<u8>, then: Option<String>) -> Self {
        Self {
            then,
            names_entry: false,
            ..Self::tree([NewEntry::File { path, data }].into())
        }
    }

    /// Writes all of these, in their order.
    pub(in crate::board) fn tree(entries: Vec<NewEntry>) -> Self {
        Self {
            records: Records::new(entries),
            block: 0,
            deflates: false,
            deflated: false,
            on_wire: 0,
            in_flight: None,
            acknowledged: 0,
            in_place: 0,
            bytes_in_place: 0,
            ready: false,
            cancelled: false,
            names_entry: true,
            then: None,
        }
    }

    fn acknowledge(&mut self, context: &JobContext<'_>) -> Step {
        self.ready = true;
        self.acknowledged = self.records.sent;
        self.measure(context);
        if self.records.ended {
            return Step::Wait;
        }
        if self.cancelled {
            return Step::Send([0; BLOCK_HEAD].into());
        }
        let block = self.next_block();
        self.in_flight = Some((context.now, block.len()));
        self.on_wire += block.len();
        Step::Send(block)
    }

    /// Deflate pays on a slow link alone, and how slow it is shows in the time that a block takes.
    fn measure(&mut self, context: &JobContext<'_>) {
        let Some((sent_at, bytes)) = self.in_flight.take() else {
            return;
        };
        let micros = (context.now - sent_at).as_micros();
        let is_slow = bytes as u128 * 1_000_000 < u128::from(FAST_LINK) * micros;
        self.deflates = is_slow && context.capabilities.inflate;
    }

    fn next_block(&mut self) -> Vec<u8> {
        let raw = match self.deflates {
            true => self.records.take(self.block.min(DEFLATE_LIMIT)),
            false => self.records.take(self.block),
        };
        let packed = match self.deflates {
            true => compress_to_vec(&raw, DEFLATE_LEVEL),
            false => Vec::new(),
        };
        let is_shorter = !packed.is_empty() && packed.len() < raw.len();
        self.deflated |= is_shorter;
        let body = if is_shorter { packed } else { raw };
        let [low, high] = (body.len() as u16).to_le_bytes();
        [&[low, high, is_shorter.into()], &body[..]].concat()
    }

    fn written(&self) -> Written {
        let method = match self.deflated {
            true => TransferMethod::StreamDeflate,
            false => TransferMethod::Stream,
        };
        Written {
            bytes: self.records.total,
            on_wire: self.on_wire as u64,
            method,
        }
    }

    /// Which of many it was. What the application or the board's silence has ended is about none.
    fn name(&self, error: Error) -> Error {
        match self.records.entries.get(self.in_place) {
            Some(entry) if self.names_entry && error != Error::Cancelled => Error::Entry {
                path: entry.path().into(),
                error: Box::new(error),
            },
            _ => error,
        }
    }
}

impl Job for StreamWrite {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.block = context.block;
        self.deflates = context.capabilities.inflate && is_slow(context);
        Step::Stream {
            parts: &[Part::Write],
            call: String::from("_fl['put']()"),
        }
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, context: &JobContext<'_>) -> Step {
        let in_place = bytes.iter().filter(|&&byte| byte == IN_PLACE).count();
        for entry in self
            .records
            .entries
            .iter()
            .skip(self.in_place)
            .take(in_place)
        {
            self.in_place += 1;
            self.bytes_in_place += entry.data().len() as u64;
        }
        match bytes.contains(&ACKNOWLEDGED) {
            true => self.acknowledge(context),
            false => Step::Wait,
        }
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        if let Some(error) = Error::from_outcome(&outcome) {
            return Step::Done(Err(self.name(error)));
        }
        if !self.records.ended {
            return Step::Done(Err(self.name(Error::Damaged)));
        }
        match self.then.take() {
            Some(program) => Step::Run(program),
            None => Step::Done(Ok(Answer::Written(self.written()))),
        }
    }

    /// The board is told with the next block's place, so that it cleans up by itself.
    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        false
    }

    fn filler(&self) -> usize {
        self.block + BLOCK_HEAD
    }

    fn progress(&self) -> Option<Progress> {
        self.ready.then_some(Progress {
            done: self.acknowledged.max(self.bytes_in_place),
            total: Some(self.records.total),
            entries: self.in_place,
        })
    }
}

/// The stream of records, cut into blocks.
#[derive(Debug)]
struct Records {
    entries: Vec<NewEntry>,
    /// Bytes of content, in all.
    total: u64,
    /// The entry that is next, and how much of its content is sent; `None` before its head.
    next: usize,
    offset: Option<usize>,
    /// Bytes of content that are sent.
    sent: u64,
    ended: bool,
}

impl Records {
    fn new(entries: Vec<NewEntry>) -> Self {
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

    /// The next bytes of the stream, at most `limit`, which has room for any head; and never none before the end.
    fn take(&mut self, limit: usize) -> Vec<u8> {
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
        NewEntry::Directory { .. } => DIRECTORY,
    };
    let hash = hash(name, entry.data());
    push_checked(block, name, kind, entry.data().len(), hash);
}

fn push_end(block: &mut Vec<u8>) {
    push_checked(block, "", 0, 0, [0; 32]);
}

fn push_checked(block: &mut Vec<u8>, name: &str, kind: u16, size: usize, hash: [u8; 32]) {
    let start = block.len();
    block.extend_from_slice(&[0; CHECK]);
    block.extend_from_slice(&(name.len() as u16 | kind).to_le_bytes());
    block.extend_from_slice(&(size as u32).to_le_bytes());
    block.extend_from_slice(&hash);
    block.extend_from_slice(name.as_bytes());
    let (check, checked) = block[start..].split_at_mut(CHECK);
    check.copy_from_slice(&Sha256::digest(checked)[..CHECK]);
}

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::*;

    fn entries() -> Vec<NewEntry> {
        let file = |number: usize| NewEntry::File {
            path: format!("lib/{number}"),
            data: vec![number as u8; number * number],
        };
        let folder = NewEntry::Directory { path: "lib".into() };
        [folder].into_iter().chain((0..40).map(file)).collect()
    }

    /// What a board makes of the blocks; a head that is divided among two shows as one with a wrong check.
    fn read(blocks: &[Vec<u8>]) -> Vec<NewEntry> {
        let mut entries = Vec::new();
        let mut open: Option<(String, usize, Vec<u8>)> = None;
        for block in blocks {
            let mut rest = block.as_slice();
            while !rest.is_empty() {
                let (path, size, mut data) = open.take().unwrap_or_else(|| {
                    let kind = u16::from_le_bytes([rest[4], rest[5]]);
                    let end = HEAD + usize::from(kind & !DIRECTORY);
                    let (head, content) = rest.split_at(end);
                    assert_eq!(head[..CHECK], Sha256::digest(&head[CHECK..])[..CHECK]);
                    rest = content;
                    let path = String::from_utf8(head[HEAD..].to_vec()).expect("it is text");
                    let size = u32::from_le_bytes([head[6], head[7], head[8], head[9]]) as usize;
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
