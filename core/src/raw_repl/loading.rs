//! A program that the board reads as data, all of it at once.
//!
//! ```text
//! > …a program that reads, by raw-paste…
//! < 06                          there is room for so many bytes
//! > …source…
//! < 06                          they are all there, and as they were
//! ```
//!
//! Ctrl-C stays what it is: no byte of a source is one. What a timer prints meanwhile is output, like anywhere else.

use alloc::{format, string::String};

use memchr::memchr;
use sha2::{Digest, Sha256};

use super::{Event, RawRepl, state::State};
use crate::Instant;

/// Shorter programs are as quick by raw-paste.
pub(super) const LOADED_FROM: usize = 384;

/// So much of a hash shows what a bad line has done.
const SHORT_HASH: usize = 8;
const MARK: u8 = 0x06;
/// The ready mark and the one at the end.
const MARKS: u8 = 2;

/// How far the board is with reading its program.
#[derive(Debug)]
pub(super) struct Loading {
    pub(super) length: usize,
    marks: u8,
}

impl Loading {
    pub(super) const fn new(length: usize) -> Self {
        Self {
            length,
            marks: MARKS,
        }
    }
}

/// What reads a program and runs it, if the line has not changed it. The room for it is made before the board says that
/// it is ready: a collection of garbage while it reads would make it lose bytes on a line without flow control.
pub(super) fn loader(source: &[u8]) -> String {
    let length = source.len();
    let hash: String = Sha256::digest(source)[..SHORT_HASH]
        .iter()
        .map(|byte| format!("\\x{byte:02x}"))
        .collect();
    format!(
        "import sys,hashlib\n_b=bytearray({length})\nsys.stdout.write('\\x06')\nsys.stdin.buffer.readinto(_b)\nif hashlib.sha256(_b).digest()[:{SHORT_HASH}]!=b'{hash}':raise ValueError('sha256')\nsys.stdout.write('\\x06')\nexec(bytes(_b))"
    )
}

impl RawRepl {
    /// Takes in a mark, or the output before it.
    pub(super) fn receive_loading(&mut self, now: Instant, bytes: &[u8]) -> usize {
        match memchr(MARK, bytes) {
            Some(0) => {
                self.hear_mark();
                1
            }
            Some(before) => self.receive_text(now, &bytes[..before]),
            None => self.receive_text(now, bytes),
        }
    }

    fn hear_mark(&mut self) {
        if let Some(source) = self.load.take() {
            self.transmit(&source);
        }
        let State::Running(running) = &mut self.state else {
            return;
        };
        let Some(loading) = &mut running.loading else {
            return;
        };
        loading.marks -= 1;
        if loading.marks == 0 {
            running.loading = None;
            self.tell(Event::Loaded);
        }
    }
}
