//! Transfers the content of files to and from a board.

mod chunked_read;
mod chunked_write;
mod delivery;
mod pack;
mod records;
mod stream_read;
mod stream_write;
mod tree;

use alloc::{boxed::Box, format, string::String};

use sha2::{Digest, Sha256};

use super::receiver::{LEAST_BLOCK, largest_block};
use crate::{
    board::{Capabilities, Error, NewEntry},
    to_hexadecimal,
};

pub(in crate::board) use chunked_read::ChunkedRead;
pub(in crate::board) use chunked_write::ChunkedWrite;
pub(in crate::board) use delivery::Delivery;
pub(in crate::board) use records::fits;
pub(in crate::board) use stream_read::StreamRead;
pub(in crate::board) use stream_write::StreamWrite;
pub(in crate::board) use tree::OneByOne;

/// Rate of a fast link, in bytes per second. Slower links gain from deflate; on faster ones, the board's unpacking
/// takes longer than the transfer.
const FAST_LINK: u32 = 200_000;
/// Limit of a block in bytes, packed or not: a board's buffer is smaller.
const BLOCK_LIMIT: usize = u16::MAX as usize;
/// Free memory that a board needs to pack, in bytes: the packer has a table.
const PACKER_MEMORY: usize = 64_000;
/// Number of attempts to read a file that arrives damaged: output of a thread on the board may damage it.
const ATTEMPTS: u32 = 3;

/// Returns the largest block that a link of this many bytes per second carries in a second, so that progress is visible
/// and a stall is noticed. It is not much smaller, because the line is idle while a block is acknowledged.
fn block_for(board: &Capabilities, link_rate: Option<u32>) -> usize {
    let a_second = link_rate.map_or(usize::MAX, |rate| rate as usize);
    largest_block(board).min(a_second).max(LEAST_BLOCK)
}

/// Returns true if a link of this many bytes per second may gain from shorter blocks; an unmeasured link may.
fn is_slow(link_rate: Option<u32>) -> bool {
    link_rate.is_none_or(|rate| rate < FAST_LINK)
}

const fn has_packer(board: &Capabilities) -> bool {
    board.viper && !board.deflate && board.free_memory >= PACKER_MEMORY
}

/// Returns the size of a chunk in bytes, which leaves the board most of its memory for the source,
/// its bytecode and the file system.
fn chunk_size(free_memory: usize) -> usize {
    (free_memory / 32).next_power_of_two().clamp(64, 4096)
}

/// Returns the name of an incomplete file beside its destination. Only an earlier attempt with the same `data` uses the
/// same name, and its length fits every file system. The receiver computes the same name from a file's content.
pub(in crate::board) fn temporary_name(path: &str, data: &[u8], kind: &str) -> String {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let (folder, name) = path.split_at(start);
    let name: String = name.chars().take(NAME_KEPT).collect();
    let mark = to_hexadecimal(&hash(path, data)[..4]);
    format!("{folder}{name}.{mark}.{kind}")
}

/// Adds the state of the old file in an entry's place to an error.
fn of_entry(entry: &NewEntry, error: Error) -> Error {
    match entry {
        NewEntry::Overwrite { .. } => Error::Overwritten {
            error: Box::new(error),
        },
        NewEntry::File { .. } | NewEntry::Directory { .. } => error,
    }
}

/// Number of characters of a file's own name to keep in its temporary one: the temporary name has at most 110 bytes,
/// and a micro:bit takes 120.
const NAME_KEPT: usize = 24;

/// Computes the hash that both sides compute of a file. It covers the name: a damaged name must not put the right bytes
/// in the wrong place.
pub(in crate::board) fn hash(name: &str, data: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(name)
        .chain_update(data)
        .finalize()
        .into()
}
