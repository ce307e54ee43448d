//! Receives one file from the board's sender, as frames in its output.

use alloc::{format, string::String, vec::Vec};

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::{ATTEMPTS, BLOCK_LIMIT, Delivery, block_for, has_packer, is_slow, pack};
use crate::{
    board::{
        Error, Progress,
        jobs::{Job, JobContext, Step, receiver::Part},
    },
    literal,
    raw_repl::{DataFrame, FrameKind, Outcome},
};

/// Byte that stops the sender. Ctrl-C is data while the sender runs. If it has already ended, the prompt discards a
/// Ctrl-C, but would keep any other byte for the next program.
const STOP: &[u8] = b"\x03";

/// Size of the first block in bytes; each following one is twice as large, up to the largest. This
/// delivers the first bytes early, even on a slow line.
const FIRST_BLOCK: usize = 512;

/// Reads one file.
#[derive(Debug)]
pub(in crate::board) struct StreamRead {
    path: String,
    packing: Packing,
    received: Received,
    delivery: Delivery,
    attempts: u32,
    cancelled: bool,
}

/// State of one attempt.
#[derive(Debug, Default)]
struct Received {
    hash: Vec<u8>,
    damaged: bool,
}

/// Compression of the board's blocks, by the number that its program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None = 0,
    Deflate = 1,
    Repeats = 2,
}

impl Packing {
    /// Chooses the best compression of the board, if the link is slow enough to gain from it.
    fn choose(context: &JobContext<'_>) -> Self {
        if !is_slow(context.link_rate) {
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
            Self::None | Self::Deflate => decompress_to_vec_with_limit(packed, BLOCK_LIMIT).ok(),
        }
    }
}

impl StreamRead {
    pub(in crate::board) fn new(path: String, delivery: Delivery) -> Self {
        Self {
            path,
            packing: Packing::None,
            received: Received::default(),
            delivery,
            attempts: 0,
            cancelled: false,
        }
    }

    /// Completes the content if it matches the board's hash. Content damaged by a thread's output is requested again.
    fn finish(&mut self, context: &JobContext<'_>) -> Step {
        let received = core::mem::take(&mut self.received);
        if !received.damaged && received.hash == self.delivery.hash() {
            Step::Done(self.delivery.answer())
        } else if self.attempts < ATTEMPTS {
            self.start(context)
        } else {
            Step::Done(Err(Error::Damaged))
        }
    }
}

impl Job for StreamRead {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.attempts += 1;
        self.delivery.begin(self.path.as_bytes());
        self.packing = Packing::choose(context);
        let (path, packing) = (literal::text(&self.path), self.packing as u8);
        let block = block_for(context.capabilities, context.link_rate);
        Step::Stream {
            parts: match self.packing {
                Packing::Repeats => &[Part::Read, Part::Pack],
                Packing::None | Packing::Deflate => &[Part::Read],
            },
            call: format!("__fl__['get']({path},{packing},{block},{FIRST_BLOCK})"),
        }
    }

    fn on_stdout(&mut self, _bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Ignore
    }

    fn on_frame(&mut self, frame: DataFrame) -> Step {
        let DataFrame { kind, payload } = frame;
        match kind {
            FrameKind::Plain => self.delivery.push(&payload),
            FrameKind::Packed => match self.packing.unpack(&payload) {
                Some(raw) => self.delivery.push(&raw),
                None => self.received.damaged = true,
            },
            FrameKind::Hash => self.received.hash = payload,
            FrameKind::Damaged => self.received.damaged = true,
        }
        if core::mem::take(&mut self.cancelled) {
            Step::Send(STOP.to_vec())
        } else {
            Step::Wait
        }
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        match Error::from_outcome(&outcome) {
            Some(Error::BadAnswer) | None => self.finish(context),
            Some(error) => Step::Done(Err(error)),
        }
    }

    /// Any byte between two frames stops the board.
    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        false
    }

    fn take_content(&mut self) -> Option<Vec<u8>> {
        (!self.received.damaged)
            .then(|| self.delivery.take())
            .flatten()
    }

    fn progress(&self) -> Option<Progress> {
        Some(self.delivery.progress())
    }
}
