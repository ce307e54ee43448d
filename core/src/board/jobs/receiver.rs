//! Board-side code for streaming. Only the required parts are sent, once for each start of the interpreter.

use alloc::{format, string::String, vec::Vec};
use core::time::Duration;

use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};

use crate::{
    board::Capabilities,
    channel::{CHANNEL, FRAME, TAKE},
    literal,
};

/// Code that both directions share.
const COMMON: &str = include_str!("../python/stream/stream.py");
const RECEIVE: &str = include_str!("../python/stream/put.py");
const SEND: &str = include_str!("../python/stream/get.py");
/// Packer for boards that cannot deflate.
const PACK: &str = include_str!("../python/stream/pack.py");

/// Effort to find repetitions, from 0 to 10: the host's extra time costs less than extra bytes on
/// the slow line.
pub(in crate::board) const DEFLATE_LEVEL: u8 = 8;
/// Number of hash bytes to compare: they detect changes by a bad line, and need not resist an
/// attacker.
const SHORT_HASH: usize = 8;
/// Smallest block, in bytes; even the smallest board can receive as much at once.
pub(in crate::board) const LEAST_BLOCK: usize = 512;

/// Part of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::board) enum Part {
    /// Base of the other parts; it is added automatically.
    Common,
    /// Receives files.
    Write,
    /// Sends files.
    Read,
    /// Compresses blocks.
    Pack,
}

/// State of the receiver on the board.
#[derive(Debug, Default)]
pub(in crate::board) struct Receiver {
    parts: Vec<Part>,
}

impl Receiver {
    /// Returns those of these parts that the board lacks, including dependencies.
    pub(in crate::board) fn lacks(&self, parts: &[Part]) -> Vec<Part> {
        let all = [Part::Common].iter().chain(parts);
        let missing = all.filter(|part| !self.parts.contains(part));
        missing.copied().collect()
    }

    pub(in crate::board) fn has_any(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(in crate::board) fn add(&mut self, parts: &mut Vec<Part>) {
        self.parts.append(parts);
    }
}

impl Part {
    fn source(self, board: &Capabilities, host_timeout: Duration) -> String {
        match self {
            Self::Common => {
                let (size, wait) = (largest_block(board), host_timeout.as_millis());
                format!("size={size}\nwait={wait}\n{CHANNEL}{COMMON}")
            }
            Self::Write => [TAKE, RECEIVE].concat(),
            Self::Read => [FRAME, SEND].concat(),
            Self::Pack => PACK.into(),
        }
    }
}

/// Returns the code that installs parts on the board, which wait for the host for `host_timeout`. Its characters stand
/// for [bytes](literal::to_bytes). If it `checks` itself, parts that a bad line has changed are rejected; a program that
/// is sent as data is checked as a whole.
pub(in crate::board) fn install(
    parts: &[Part],
    board: &Capabilities,
    host_timeout: Duration,
    checks: bool,
) -> String {
    let sources = parts.iter().map(|part| part.source(board, host_timeout));
    let source = sources.collect::<Vec<_>>().concat();
    let begin = match parts.contains(&Part::Common) {
        true => "__fl__={}\n",
        false => "__fl__\n",
    };
    let (import, value) = match board.inflate {
        true => ("import deflate,io\n", inflated(&source)),
        false => ("", literal::bytes(source.as_bytes())),
    };
    if !checks {
        return format!("{begin}{import}exec({value},__fl__)\n");
    }
    let hash = literal::bytes(&Sha256::digest(&source)[..SHORT_HASH]);
    format!(
        "{begin}{import}import hashlib\ntry:s={value}\nexcept(OSError,ValueError,EOFError):raise ValueError('sha256')\nif hashlib.sha256(s).digest()[:{SHORT_HASH}]!={hash}:raise ValueError('sha256')\nexec(s,__fl__)\ndel s\n"
    )
}

/// Returns the expression of a source sent in deflated form: half as many bytes, which matters on a slow line.
fn inflated(source: &str) -> String {
    let packed = compress_to_vec(source.as_bytes(), DEFLATE_LEVEL);
    let packed = literal::dense(&packed);
    format!("deflate.DeflateIO(io.BytesIO({packed}),deflate.RAW,12).read()")
}

/// Returns the size of the largest block in bytes that leaves the board most of its memory: a packed block needs twice
/// its own size, and its window.
pub(in crate::board) const fn largest_block(board: &Capabilities) -> usize {
    match board.free_memory {
        0..32_000 => LEAST_BLOCK,
        32_000..64_000 => 2048,
        64_000..160_000 => 4096,
        160_000..1_000_000 => 16 * 1024,
        _ => 60 * 1024,
    }
}
