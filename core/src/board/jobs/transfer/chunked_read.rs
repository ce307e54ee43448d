//! Reads by a program that writes plain ASCII, one line for each chunk: for boards and links that support nothing else.

use alloc::{format, string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};

use super::{ATTEMPTS, Delivery, chunk_size};
use crate::{
    board::{
        Capabilities, Error, Progress,
        jobs::{
            Job, JobContext, Step,
            checked::{add_to_weak_sum, checked},
        },
    },
    lines::Lines,
    literal,
    raw_repl::Outcome,
    to_hexadecimal,
};

/// Reads one file as lines of text. Lines printed by a thread are ignored.
#[derive(Debug)]
pub(in crate::board) struct ChunkedRead {
    path: String,
    received: Received,
    delivery: Delivery,
    attempts: u32,
    encoding: Encoding,
    sha256: bool,
}

/// State of one attempt.
#[derive(Debug)]
struct Received {
    lines: Lines,
    /// Checksum of the content, for boards without SHA-256.
    weak_sum: u32,
    check: Vec<u8>,
    damaged: bool,
}

/// Encoding of bytes as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Base64,
    Hex,
    Literal,
}

impl Encoding {
    const fn choose(board: &Capabilities) -> Self {
        if board.base64 {
            Self::Base64
        } else if board.hex {
            Self::Hex
        } else {
            Self::Literal
        }
    }

    /// Returns the preparation and the statement that prints `_data` as a line, in one call where memory allows: output
    /// of a thread then comes before or after the line, perhaps without a line end.
    const fn program(self) -> [&'static str; 2] {
        match self {
            Self::Base64 => [
                "from binascii import b2a_base64 as _e\n",
                "'\\n:'+_e(_data).decode(),end=''",
            ],
            Self::Hex => ["", "'\\n:'+_data.hex()+'\\n',end=''"],
            Self::Literal => ["", "'\\n:',_data,sep=''"],
        }
    }

    fn decode(self, line: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Base64 => BASE64.decode(line).ok(),
            Self::Hex => literal::parse_hex(line),
            Self::Literal => literal::parse_bytes(line),
        }
    }
}

/// Names in these programs have several letters: a flipped bit must not turn one name into another and make a loop
/// endless.
///
/// Code that hashes everything read: before the loop, in it, after it.
const SHA256_OF_CHUNKS: [&str; 3] = [
    "import hashlib\n_hash=hashlib.sha256()",
    "_hash.update(_data)",
    "print('\\n='+''.join('%02x'%b for b in _hash.digest())+'\\n',end='')",
];
const SUM_OF_CHUNKS: [&str; 3] = [
    "_sum=0",
    "for _byte in _data:_sum=(_sum*31+_byte)&16777215",
    "print('\\n=%d\\n'%_sum,end='')",
];

/// Limit of a line, which exceeds any line requested from the board.
const LINE_LIMIT: usize = 64 * 1024;

impl ChunkedRead {
    pub(in crate::board) const fn new(path: String, delivery: Delivery) -> Self {
        Self {
            path,
            received: Received::new(),
            delivery,
            attempts: 0,
            encoding: Encoding::Literal,
            sha256: false,
        }
    }

    fn take_line(&mut self, line: &[u8]) {
        if let Some(check) = line.strip_prefix(b"=") {
            self.received.check = check.to_vec();
        } else if let Some(data) = line.strip_prefix(b":") {
            match self.encoding.decode(data) {
                Some(bytes) => {
                    self.received.weak_sum = add_to_weak_sum(self.received.weak_sum, &bytes);
                    self.delivery.push(&bytes);
                }
                None => self.received.damaged = true,
            }
        }
    }

    /// Completes the content if it matches the board's hash. Content damaged by a thread's output is requested again.
    fn finish(&mut self, context: &JobContext<'_>) -> Step {
        let received = core::mem::replace(&mut self.received, Received::new());
        let check = match self.sha256 {
            true => to_hexadecimal(&self.delivery.hash()),
            false => format!("{}", received.weak_sum),
        };
        if !received.damaged && received.check == check.as_bytes() {
            Step::Done(self.delivery.answer())
        } else if self.attempts < ATTEMPTS {
            self.start(context)
        } else {
            Step::Done(Err(Error::Damaged))
        }
    }
}

impl Received {
    const fn new() -> Self {
        Self {
            lines: Lines::new(LINE_LIMIT),
            weak_sum: 0,
            check: Vec::new(),
            damaged: false,
        }
    }
}

impl Job for ChunkedRead {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.attempts += 1;
        self.delivery.begin(b"");
        let board = context.capabilities;
        (self.encoding, self.sha256) = (Encoding::choose(board), board.sha256);
        let chunk = chunk_size(board.free_memory) / 3 * 3;
        let [import, encode] = self.encoding.program();
        let [begin, add, end] = match board.sha256 {
            true => SHA256_OF_CHUNKS,
            false => SUM_OF_CHUNKS,
        };
        let name = checked(&[("_path", &self.path)]);
        Step::RunShort(format!(
            "{name}{import}{begin}\nwith open(_path,'rb') as _file:\n while 1:\n  _data=_file.read({chunk})\n  if not _data:break\n  {add}\n  print({encode})\n{end}"
        ))
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        self.received.lines.push(&bytes);
        while let Some(line) = self.received.lines.next() {
            match line {
                Ok(line) => self.take_line(&line),
                Err(_) => self.received.damaged = true,
            }
        }
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        match Error::from_outcome(&outcome) {
            Some(Error::BadAnswer) | None => self.finish(context),
            Some(error) => Step::Done(Err(error)),
        }
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
