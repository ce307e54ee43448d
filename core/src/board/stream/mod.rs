//! The first method: binary data straight through, acknowledged block by block.
//!
//! The receiver is put on the board once for each life of its interpreter, and of it only what is used. It turns Ctrl-C
//! off while data flows, gives up by itself when the host falls silent, and replaces a file only by one whose hash is
//! right.

mod read;
mod write;

use alloc::{format, string::String, vec::Vec};
use core::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};

use super::{Capabilities, job::JobContext, literal};

pub(super) use read::StreamRead;
pub(super) use write::{StreamWrite, fits};

/// What the board has in common for both ways.
const COMMON: &str = include_str!("../python/stream.py");
const RECEIVER: &str = include_str!("../python/put.py");
const SENDER: &str = include_str!("../python/get.py");
/// What packs for boards that cannot deflate. It needs machine code, and memory for its table.
const PACKER: &str = include_str!("../python/pack.py");
const PACKER_MEMORY: usize = 64_000;

/// Slower links gain from deflate; on faster ones the board's own unpacking is the slower part.
const FAST_LINK: u32 = 200_000;
const DEFLATE_LEVEL: u8 = 8;
/// No block is longer, packed or not.
const BLOCK_LIMIT: usize = u16::MAX as usize;
/// So much of a hash shows what a bad line has done; nobody is being deceived.
const SHORT_HASH: usize = 8;

/// A part of what the board needs for streaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What the others stand on. It comes by itself.
    Common,
    /// Takes files.
    Write,
    /// Sends files.
    Read,
    /// Makes blocks shorter.
    Pack,
}

impl Part {
    fn source(self, block: usize, patience: Duration) -> String {
        match self {
            Self::Common => format!("size={block}\nwait={}\n{COMMON}", patience.as_millis()),
            Self::Write => RECEIVER.into(),
            Self::Read => SENDER.into(),
            Self::Pack => PACKER.into(),
        }
    }
}

/// What puts parts on the board; they wait for the host as long as `patience`. A part that a bad line has changed is not
/// taken.
pub(super) fn install(parts: &[Part], board: &Capabilities, patience: Duration) -> String {
    let block = block_size(board.free_memory);
    let source: Vec<_> = parts
        .iter()
        .map(|part| part.source(block, patience))
        .collect();
    let source = source.concat();
    let begin = match parts.contains(&Part::Common) {
        true => "_fl={}\n",
        false => "_fl\n",
    };
    let hash = literal::bytes(&Sha256::digest(&source)[..SHORT_HASH]);
    let value = match board.base64 && board.inflate {
        true => inflated(&source),
        false => format!("_s='''{source}'''"),
    };
    format!(
        "{begin}import hashlib\n{value}\nif hashlib.sha256(_s).digest()[:{SHORT_HASH}]!={hash}:raise ValueError('sha256')\nexec(_s,_fl)\ndel _s\n"
    )
}

/// Sets `_s` to a source that goes deflated: half as many bytes, of which a slow line feels each.
fn inflated(source: &str) -> String {
    let packed = BASE64.encode(compress_to_vec(source.as_bytes(), DEFLATE_LEVEL));
    format!(
        "import deflate,io,binascii\ntry:_s=deflate.DeflateIO(io.BytesIO(binascii.a2b_base64('{packed}')),deflate.RAW,12).read()\nexcept(OSError,ValueError,EOFError):raise ValueError('sha256')"
    )
}

/// The largest block for the receiver that a link carries in a second, so that progress shows and a stall is noticed; and
/// not much less, because the line is idle while a block is acknowledged.
pub(super) fn block_for(board: &Capabilities, link_rate: Option<u32>) -> usize {
    let a_second = link_rate.map_or(usize::MAX, |rate| rate as usize);
    block_size(board.free_memory).min(a_second).max(LEAST_BLOCK)
}

/// The largest block that leaves the board most of its memory: a packed block needs room for itself twice, and for
/// its window.
const fn block_size(free_memory: usize) -> usize {
    match free_memory {
        0..32_000 => LEAST_BLOCK,
        32_000..64_000 => 2048,
        64_000..160_000 => 4096,
        160_000..1_000_000 => 16 * 1024,
        _ => 60 * 1024,
    }
}

/// Whether the link gains from shorter blocks; one that was never timed may.
fn is_slow(context: &JobContext<'_>) -> bool {
    context.link_rate.is_none_or(|rate| rate < FAST_LINK)
}

/// No board and no link is so small that it takes less at once.
const LEAST_BLOCK: usize = 512;

const fn has_packer(board: &Capabilities) -> bool {
    board.viper && !board.deflate && board.free_memory >= PACKER_MEMORY
}

/// The hash that both sides make of a file. It covers the name: a line that spoils it must not put the right bytes in
/// the wrong place.
fn hash(name: &str, data: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(name)
        .chain_update(data)
        .finalize()
        .into()
}
