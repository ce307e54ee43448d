//! Sends a program that the board reads as data, all at once.
//!
//! ```text
//! > …a program that reads, by raw-paste…
//! < 06                          the board has space for this many bytes
//! > …source…
//! < 06                          all of them have arrived unchanged
//! ```
//!
//! Ctrl-C keeps its meaning: a source does not contain that byte. Text printed by a timer in the meantime is output, as
//! anywhere else.

use alloc::vec::Vec;
#[cfg(feature = "board")]
use alloc::{format, string::String};
use core::mem;

use memchr::memchr;
#[cfg(feature = "board")]
use sha2::{Digest, Sha256};

#[cfg(feature = "board")]
use super::own::own;
#[cfg(feature = "board")]
use crate::literal;

/// Length below which raw-paste is as fast, in bytes.
pub(in crate::raw_repl) const LOADED_FROM: usize = 384;

/// Number of hash bytes to compare: they detect changes by a bad line.
const SHORT_HASH: usize = 8;
/// Byte that reports room, or the end of reading; no text contains it.
const MARK: u8 = 0x06;

/// A program that the board will request.
#[derive(Debug)]
pub(in crate::raw_repl) struct Loading {
    source: Vec<u8>,
    length: usize,
    is_sent: bool,
}

/// Meaning of the bytes of a board that loads a program.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::raw_repl) enum Progress {
    /// Output of others, with this many bytes.
    Text(usize),
    /// The board is ready for this.
    Ready(Vec<u8>),
    /// The board has the whole program.
    Loaded,
}

impl Loading {
    pub(in crate::raw_repl) const fn new(source: Vec<u8>) -> Self {
        Self {
            length: source.len(),
            source,
            is_sent: false,
        }
    }

    /// Returns the limit of the bytes that the board waits for.
    pub(in crate::raw_repl) const fn length(&self) -> usize {
        self.length
    }

    /// Stops sending the program.
    pub(in crate::raw_repl) fn cancel(&mut self) {
        self.source.clear();
    }

    /// Interprets the beginning of these bytes, of which there is at least one. A mark counts as one of them.
    pub(in crate::raw_repl) fn receive(&mut self, bytes: &[u8]) -> Progress {
        match memchr(MARK, bytes) {
            Some(0) if mem::replace(&mut self.is_sent, true) => Progress::Loaded,
            Some(0) => Progress::Ready(mem::take(&mut self.source)),
            before => Progress::Text(before.unwrap_or(bytes.len())),
        }
    }
}

/// Returns the code that reads a program and runs it, unless the line has changed it. It allocates
/// memory before the board reports that it is ready: a garbage collection during the read would
/// make it lose bytes on a line without flow control.
#[cfg(feature = "board")]
pub(in crate::raw_repl) fn loader(source: &[u8]) -> String {
    let length = source.len();
    let hash = literal::dense(&Sha256::digest(source)[..SHORT_HASH]);
    own(&format!(
        "import builtins as u,sys as s,hashlib as h\nb=u.bytearray({length})\nw=s.stdout.write\nw('\\6')\ns.stdin.buffer.readinto(b)\nif h.sha256(b).digest()[:{SHORT_HASH}]!={hash}:raise u.ValueError('sha256')\nw('\\6')\nu.exec(u.bytes(b))"
    ))
}
