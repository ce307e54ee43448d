//! The board's sender: one file, as frames in its output.

use alloc::{format, string::String, vec::Vec};

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::{BLOCK_LIMIT, Part, has_packer, hash, is_slow};
use crate::{
    board::{
        Answer, Error, Progress,
        job::{Job, JobContext, Step, bad_answer},
        literal, pack,
    },
    raw_repl::{DataFrame, Outcome},
};

/// Ctrl-C is data while the sender runs. Should it have ended already, the prompt forgets a Ctrl-C, but would keep any
/// other byte for the next program.
const STOP: &[u8] = b"\x03";

/// Reads one file.
#[derive(Debug)]
pub(in crate::board) struct StreamRead {
    path: String,
    data: Vec<u8>,
    tail: Vec<u8>,
    packing: Packing,
    damaged: bool,
    cancelled: bool,
}

/// How the board makes its blocks shorter, by the number that its program knows it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None = 0,
    Deflate = 1,
    Repeats = 2,
}

impl Packing {
    /// The best that the board can do, if the link is slow enough to gain from it.
    fn choose(context: &JobContext<'_>) -> Self {
        if !is_slow(context) {
            Self::None
        } else if context.capabilities.deflate {
            Self::Deflate
        } else if has_packer(context.capabilities) {
            Self::Repeats
        } else {
            Self::None
        }
    }

    fn unpack(self, packed: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Repeats => pack::unpack(packed, BLOCK_LIMIT),
            _ => decompress_to_vec_with_limit(packed, BLOCK_LIMIT).ok(),
        }
    }
}

impl StreamRead {
    pub(in crate::board) fn new(path: String) -> Self {
        Self {
            path,
            data: Vec::new(),
            tail: Vec::new(),
            packing: Packing::None,
            damaged: false,
            cancelled: false,
        }
    }

    /// `=` and the file's hash in hexadecimal.
    fn check(&self) -> Result<(), Error> {
        let text = self.tail.strip_prefix(b"=").and_then(literal::parse_hex);
        match text {
            None => Err(bad_answer(&self.tail)),
            Some(theirs) if !self.damaged && theirs == hash(&self.path, &self.data) => Ok(()),
            Some(_) => Err(Error::Damaged),
        }
    }
}

impl Job for StreamRead {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.packing = Packing::choose(context);
        let (path, packing) = (literal::text(&self.path), self.packing as u8);
        Step::Stream {
            parts: match self.packing {
                Packing::Repeats => &[Part::Read, Part::Pack],
                _ => &[Part::Read],
            },
            call: format!("_fl['get']({path},{packing},{})", context.block),
        }
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        self.tail.extend_from_slice(&bytes[..bytes.len().min(256)]);
        self.tail.truncate(256);
        Step::Wait
    }

    fn on_frame(&mut self, frame: DataFrame) -> Step {
        if !frame.packed {
            self.data.extend_from_slice(&frame.payload);
        } else if let Some(raw) = self.packing.unpack(&frame.payload) {
            self.data.extend_from_slice(&raw);
        } else {
            self.damaged = true;
        }
        if core::mem::take(&mut self.cancelled) {
            Step::Send(STOP.to_vec())
        } else {
            Step::Wait
        }
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            Some(error) => Err(error),
            None => self
                .check()
                .map(|()| Answer::Bytes(core::mem::take(&mut self.data))),
        })
    }

    /// Any byte between two frames makes the board stop.
    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        false
    }

    fn progress(&self) -> Option<Progress> {
        Some(Progress {
            done: self.data.len() as u64,
            total: None,
            entries: 0,
        })
    }
}
