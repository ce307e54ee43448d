//! The first rung: binary data straight through, acknowledged block by block.
//!
//! The receiver is put on the board once for each life of its interpreter. It turns Ctrl-C off while data flows, gives
//! up by itself when the host falls silent, and replaces a file only by one whose hash is right. The host sends the
//! next block when the last is acknowledged; a board without flow control is then never written to while its flash
//! keeps it busy.

use alloc::{format, string::String, vec::Vec};

use core::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use sha2::{Digest, Sha256};

use super::{
    Answer, Capabilities, FileError, Progress, Rung, Written,
    job::{Facts, Job, Step, bad_answer},
    literal, pack,
};
use crate::{
    Instant,
    raw_repl::{DataFrame, Outcome},
};

/// The receiver and sender for the board.
const RECEIVER: &str = include_str!("python/stream.py");
/// What packs for boards that cannot deflate. It needs machine code, and memory for its table.
const PACKER: &str = include_str!("python/pack.py");
const PACKER_MEMORY: usize = 64_000;
const DEFLATED: usize = 0x8000;
const ACKNOWLEDGED: u8 = b'+';
/// Slower links gain from deflate; on faster ones the board's own unpacking is the slower part.
const FAST_LINK: u32 = 200_000;
const DEFLATE_LEVEL: u8 = 8;

/// No block is longer, packed or not.
const BLOCK_LIMIT: usize = u16::MAX as usize;

/// Ctrl-C is data while the sender runs. Should it have ended already, the prompt forgets a Ctrl-C, but would keep any
/// other byte for the next program.
const STOP: &[u8] = b"\x03";

/// Writes one file.
#[derive(Debug)]
pub(super) struct StreamWrite {
    path: String,
    data: Vec<u8>,
    sent: usize,
    acknowledged: usize,
    on_wire: usize,
    block: usize,
    deflates: bool,
    deflated: bool,
    in_flight: Option<(Instant, usize)>,
    ready: bool,
    cancelled: bool,
    then: Option<String>,
}

impl StreamWrite {
    /// Writes `data` to `path`, then runs `then` if there is such a program.
    pub(super) fn new(path: String, data: Vec<u8>, then: Option<String>) -> Self {
        Self {
            path,
            data,
            sent: 0,
            acknowledged: 0,
            on_wire: 0,
            block: 0,
            deflates: false,
            deflated: false,
            in_flight: None,
            ready: false,
            cancelled: false,
            then,
        }
    }

    fn acknowledge(&mut self, facts: &Facts<'_>) -> Step {
        self.acknowledged = self.sent;
        self.ready = true;
        self.measure(facts);
        if self.cancelled && self.sent < self.data.len() {
            return Step::Send([0, 0].to_vec());
        }
        match self.next_block() {
            Some(block) => {
                self.in_flight = Some((facts.now, block.len()));
                Step::Send(block)
            }
            None => Step::Wait,
        }
    }

    /// Deflate pays on a slow link alone, and how slow it is shows in the time that a block takes.
    fn measure(&mut self, facts: &Facts<'_>) {
        let Some((sent_at, bytes)) = self.in_flight.take() else {
            return;
        };
        let micros = (facts.now - sent_at).as_micros();
        let is_slow = bytes as u128 * 1_000_000 < u128::from(FAST_LINK) * micros;
        self.deflates = is_slow && facts.capabilities.inflate;
        self.deflated |= self.deflates;
    }

    /// Two bytes of length, its highest bit set for deflate, and the block.
    fn next_block(&mut self) -> Option<Vec<u8>> {
        let raw = &self.data[self.sent..self.data.len().min(self.sent + self.block)];
        if raw.is_empty() {
            return None;
        }
        let packed = if self.deflates {
            compress_to_vec(raw, DEFLATE_LEVEL)
        } else {
            Vec::new()
        };
        let use_packed = !packed.is_empty() && packed.len() < raw.len();
        let (body, flag) = if use_packed {
            (packed.as_slice(), DEFLATED)
        } else {
            (raw, 0)
        };
        let header = u16::try_from(body.len() | flag).ok()?.to_le_bytes();
        let frame = [&header[..], body].concat();
        self.sent += raw.len();
        self.on_wire += frame.len();
        Some(frame)
    }

    fn written(&self) -> Written {
        let rung = if self.deflated {
            Rung::StreamDeflate
        } else {
            Rung::Stream
        };
        Written {
            bytes: self.data.len() as u64,
            on_wire: self.on_wire as u64,
            rung,
        }
    }
}

impl Job for StreamWrite {
    fn start(&mut self, facts: &Facts<'_>) -> Step {
        self.block = facts.block;
        self.deflates =
            facts.capabilities.inflate && facts.link_rate.is_some_and(|rate| rate < FAST_LINK);
        let path = literal::text(&self.path);
        let part = format!("{}.part", self.path);
        let hash = literal::bytes(&hash(&[&part, &self.path], &self.data));
        let part = literal::text(&part);
        Step::Stream(format!("_fl.put({part},{path},{},{hash})", self.data.len()))
    }

    fn stdout(&mut self, bytes: &[u8], facts: &Facts<'_>) -> Step {
        if bytes.contains(&ACKNOWLEDGED) {
            self.acknowledge(facts)
        } else {
            Step::Wait
        }
    }

    fn ended(&mut self, outcome: &Outcome, _facts: &Facts<'_>) -> Step {
        if let Some(error) = FileError::from_outcome(outcome) {
            return Step::Done(Err(error));
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
        self.block + 2
    }

    fn progress(&self) -> Option<Progress> {
        self.ready.then_some(Progress {
            done: self.acknowledged as u64,
            total: Some(self.data.len() as u64),
        })
    }
}

/// Reads one file.
#[derive(Debug)]
pub(super) struct StreamRead {
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
    fn choose(facts: &Facts<'_>) -> Self {
        let is_slow = facts.link_rate.is_some_and(|rate| rate < FAST_LINK);
        if is_slow && facts.capabilities.deflate {
            Self::Deflate
        } else if is_slow && has_packer(facts.capabilities) {
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

const fn has_packer(board: &Capabilities) -> bool {
    board.viper && !board.deflate && board.free_memory >= PACKER_MEMORY
}

impl StreamRead {
    pub(super) fn new(path: String) -> Self {
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
    fn check(&self) -> Result<(), FileError> {
        let text = self.tail.strip_prefix(b"=").and_then(literal::parse_hex);
        match text {
            None => Err(bad_answer(&self.tail)),
            Some(theirs) if !self.damaged && theirs == hash(&[&self.path], &self.data) => Ok(()),
            Some(_) => Err(FileError::Damaged),
        }
    }
}

impl Job for StreamRead {
    fn start(&mut self, facts: &Facts<'_>) -> Step {
        self.packing = Packing::choose(facts);
        let (path, packing) = (literal::text(&self.path), self.packing as u8);
        Step::Stream(format!("_fl.get({path},{packing})"))
    }

    fn stdout(&mut self, bytes: &[u8], _facts: &Facts<'_>) -> Step {
        self.tail.extend_from_slice(&bytes[..bytes.len().min(256)]);
        self.tail.truncate(256);
        Step::Wait
    }

    fn frame(&mut self, frame: DataFrame) -> Step {
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

    fn ended(&mut self, outcome: &Outcome, _facts: &Facts<'_>) -> Step {
        Step::Done(match FileError::from_outcome(outcome) {
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
        })
    }
}

/// The hash that both sides make of a transfer. It covers the names: a line that spoils one in the call must not put
/// the right bytes in the wrong place.
fn hash(names: &[&str], data: &[u8]) -> Vec<u8> {
    let mut hash = Sha256::new();
    names.iter().for_each(|name| hash.update(name));
    hash.update(data);
    hash.finalize().to_vec()
}

/// What puts the receiver on the board, for blocks of `block` bytes; it waits for the host as long as `patience`. One
/// that a bad line has changed is not taken.
pub(super) fn install(board: &Capabilities, block: usize, patience: Duration) -> String {
    let packer = if has_packer(board) { PACKER } else { "" };
    let source = [RECEIVER, packer].concat();
    let hash = literal::bytes(&Sha256::digest(&source));
    let value = match board.base64 && board.inflate {
        true => inflated(&source),
        false => format!("_fl='''{source}'''"),
    };
    let patience = patience.as_millis();
    format!(
        "import hashlib\n{value}\nif hashlib.sha256(_fl).digest()!={hash}:raise ValueError('sha256')\nexec(_fl)\n_fl=_FL({block},{patience})\n"
    )
}

/// Sets `_fl` to a source that goes deflated: half as many bytes, of which a slow line feels each.
fn inflated(source: &str) -> String {
    let packed = BASE64.encode(compress_to_vec(source.as_bytes(), DEFLATE_LEVEL));
    format!(
        "import deflate,io,binascii\ntry:_fl=deflate.DeflateIO(io.BytesIO(binascii.a2b_base64('{packed}')),deflate.RAW,12).read()\nexcept(OSError,ValueError,EOFError):raise ValueError('sha256')"
    )
}

/// The largest block that leaves the board most of its memory: a packed block needs room for itself twice, and for
/// its window.
pub(super) const fn block_size(free_memory: usize) -> usize {
    match free_memory {
        0..32_000 => 512,
        32_000..64_000 => 2048,
        64_000..160_000 => 4096,
        _ => 16 * 1024,
    }
}
