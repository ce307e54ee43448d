//! The slower methods: each chunk is a program of plain ASCII, for boards and links that carry nothing else.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};

use super::{ATTEMPTS, Delivery, of_entry, temporary_name};
use crate::{
    board::{
        Answer, Capabilities, Error, NewEntry, Progress, TransferMethod, Written,
        job::{Job, JobContext, Step},
        literal,
        receiver::DEFLATE_LEVEL,
    },
    hexadecimal::to_hexadecimal,
    lines::Lines,
    raw_repl::Outcome,
};

/// The smallest chunk in bytes that is tried before a board's memory is called too small.
const LEAST_CHUNK: usize = 32;
/// The widest window that inflating needs on the board, as a power of two.
const WINDOW_BITS: u8 = 12;
/// How many bytes of the answer to a check are kept: a blank for each piece of the file, and what a thread prints.
const CHECK_LIMIT: usize = 1024 * 1024;
const SUM: &str = include_str!("../python/sum.py");
const COPY: &str = include_str!("../python/copy.py");
const RENAME: &str = include_str!("../python/rename.py");

/// Writes one file, chunk by chunk, beside the old one.
#[derive(Debug)]
pub(in crate::board) struct ChunkedWrite {
    entry: NewEntry,
    /// The file that is written: beside the old one, or in its place.
    part: String,
    sent: usize,
    in_flight: usize,
    on_wire: usize,
    chunk: usize,
    state: WriteState,
    method: TransferMethod,
    output: Vec<u8>,
    failed: Option<Error>,
    cancelled: bool,
    then: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteState {
    Sending,
    Checking,
    /// Giving the new file its name.
    Replacing,
    /// The same on a board that cannot rename: the old file is gone, and the new one is copied into its place.
    Copying,
    CleaningUp,
    Following,
}

impl ChunkedWrite {
    /// Writes one file, then runs `then` if there is such a program.
    pub(in crate::board) fn new(entry: NewEntry, then: Option<String>) -> Self {
        let part = match &entry {
            NewEntry::File { path, data } => temporary_name(path, data, "part"),
            NewEntry::Overwrite { path, .. } | NewEntry::Directory { path } => path.clone(),
        };
        Self {
            entry,
            part,
            sent: 0,
            in_flight: 0,
            on_wire: 0,
            chunk: 0,
            state: WriteState::Sending,
            method: TransferMethod::Literal,
            output: Vec::new(),
            failed: None,
            cancelled: false,
            then,
        }
    }

    fn part(&self) -> String {
        literal::text(&self.part)
    }

    fn data(&self) -> &[u8] {
        self.entry.data()
    }

    /// The next chunk in the shortest form that the board reads.
    fn next_chunk(&mut self, board: &Capabilities) -> Step {
        let end = self.data().len().min(self.sent + self.chunk);
        let raw = &self.data()[self.sent..end];
        if raw.is_empty() {
            return self.check(board);
        }
        let (method, code) = shortest(raw, board);
        self.in_flight = raw.len();
        self.method = self.method.max(method);
        self.on_wire += code.len();
        Step::RunShort(code)
    }

    fn check(&mut self, board: &Capabilities) -> Step {
        self.state = WriteState::Checking;
        let (part, length) = (self.part(), self.data().len());
        Step::RunShort(if board.sha256 {
            format!("_f.close()\nimport hashlib\n{SUM}print('\\n=%s\\n'%_h({part}),end='')")
        } else {
            format!("_f.close()\n{SUM}print('\\n=%d {length}\\n'%_s({part}),end='')")
        })
    }

    fn is_whole(&self, board: &Capabilities) -> bool {
        let expected = if board.sha256 {
            to_hexadecimal(&Sha256::digest(self.data()))
        } else {
            format!("{} {}", literal::weak_sum(self.data()), self.data().len())
        };
        let lines = self.output.split(|&byte| byte == b'\n');
        let mut checks = lines.filter_map(|line| line.trim_ascii().strip_prefix(b"="));
        checks.any(|check| check == expected.as_bytes())
    }

    /// The new file is whole: it takes the old one's place, if it is not there already.
    fn replace(&mut self, board: &Capabilities) -> Step {
        if let NewEntry::Overwrite { .. } = self.entry {
            return self.follow();
        }
        let names = literal::checked(&[("_part", &self.part), ("_path", self.entry.path())]);
        self.state = match board.rename {
            true => WriteState::Replacing,
            false => WriteState::Copying,
        };
        Step::RunShort(names + if board.rename { RENAME } else { COPY })
    }

    fn follow(&mut self) -> Step {
        self.state = WriteState::Following;
        match self.then.take() {
            Some(program) => Step::Run(program),
            None => Step::Done(Ok(Answer::Written(self.written()))),
        }
    }

    /// What removes the old file, where it makes room.
    fn make_room(&self) -> String {
        let (part, is_there) = (
            self.part(),
            matches!(self.entry, NewEntry::Overwrite { .. }),
        );
        match is_there {
            true => format!("import os\ntry:os.remove({part})\nexcept OSError:pass\n"),
            false => String::new(),
        }
    }

    fn clean_up(&mut self, error: Error) -> Step {
        self.failed = Some(error);
        self.state = WriteState::CleaningUp;
        let part = self.part();
        Step::RunShort(format!(
            "try:\n import os\n _f.close()\n os.remove({part})\nexcept:pass"
        ))
    }

    fn chunk_ended(&mut self, board: &Capabilities) -> Step {
        self.sent += core::mem::take(&mut self.in_flight);
        self.next_chunk(board)
    }

    /// A chunk that did not fit into the board's memory was not written: a smaller one may.
    fn shrink(&mut self, board: &Capabilities) -> Step {
        self.chunk /= 2;
        if self.chunk < LEAST_CHUNK {
            self.clean_up(Error::NoMemory)
        } else {
            self.next_chunk(board)
        }
    }

    fn written(&self) -> Written {
        Written {
            bytes: self.data().len() as u64,
            on_wire: self.on_wire as u64,
            method: self.method,
        }
    }
}

impl Job for ChunkedWrite {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.chunk = chunk_size(context.capabilities.free_memory);
        let imports = if context.capabilities.base64 {
            "from binascii import a2b_base64 as _b\n"
        } else {
            ""
        };
        let inflate = if context.capabilities.inflate {
            INFLATE
        } else {
            ""
        };
        let (part, make_room) = (self.part(), self.make_room());
        Step::RunShort(format!("{imports}{inflate}{make_room}_f=open({part},'wb')"))
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        if self.state != WriteState::Checking {
            return Step::Ignore;
        }
        let room = CHECK_LIMIT - self.output.len();
        self.output
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        let board = context.capabilities;
        match (self.state, Error::from_outcome(&outcome)) {
            (WriteState::CleaningUp, _) => {
                Step::Done(Err(self.failed.take().unwrap_or(Error::Stalled)))
            }
            (WriteState::Sending, _) if self.cancelled => self.clean_up(Error::Cancelled),
            (WriteState::Sending, Some(Error::NoMemory)) => self.shrink(board),
            // Its name did not arrive, so nothing was done.
            (WriteState::Copying, Some(Error::Damaged)) => self.clean_up(Error::Damaged),
            // The new file may be the only one that is whole.
            (WriteState::Copying | WriteState::Following, Some(error))
            | (WriteState::Replacing, Some(error @ Error::Kept { .. })) => Step::Done(Err(error)),
            (_, Some(error)) => self.clean_up(error),
            (WriteState::Sending, None) => self.chunk_ended(board),
            (WriteState::Checking, None) if self.is_whole(board) => self.replace(board),
            (WriteState::Checking, None) => self.clean_up(Error::Damaged),
            (WriteState::Replacing | WriteState::Copying | WriteState::Following, None) => {
                self.follow()
            }
        }
    }

    fn explain(&self, error: Error) -> Error {
        let error = match self.state {
            WriteState::Copying => Error::Kept {
                path: self.part.clone(),
                error: Box::new(error),
            },
            WriteState::Sending
            | WriteState::Checking
            | WriteState::Replacing
            | WriteState::CleaningUp
            | WriteState::Following => error,
        };
        of_entry(&self.entry, error)
    }

    /// The chunk under way is short, and ends by itself. Then the board closes its file.
    fn cancel(&mut self) -> bool {
        self.cancelled = true;
        false
    }

    fn progress(&self) -> Option<Progress> {
        Some(Progress {
            done: self.sent as u64,
            total: Some(self.data().len() as u64),
            entries: 0,
        })
    }
}

const INFLATE: &str = "import deflate,io\ndef _z(d):return deflate.DeflateIO(io.BytesIO(_b(d)),deflate.RAW,12).read()\n";

/// The shortest program that writes `raw`, of those that the board can run.
fn shortest(raw: &[u8], board: &Capabilities) -> (TransferMethod, String) {
    let mut best = (
        TransferMethod::Literal,
        write_call("", &literal::bytes(raw)),
    );
    let mut offer = |method, code: String| {
        if code.len() < best.1.len() {
            best = (method, code);
        }
    };
    if board.hex {
        let hex = to_hexadecimal(raw);
        offer(
            TransferMethod::Hex,
            write_call("bytes.fromhex", &format!("'{hex}'")),
        );
    }
    if board.base64 {
        offer(
            TransferMethod::Base64,
            write_call("_b", &format!("b'{}'", BASE64.encode(raw))),
        );
    }
    if board.base64 && board.inflate && raw.len() <= 1 << WINDOW_BITS {
        let packed = compress_to_vec(raw, DEFLATE_LEVEL);
        offer(
            TransferMethod::Deflate,
            write_call("_z", &format!("b'{}'", BASE64.encode(packed))),
        );
    }
    best
}

fn write_call(decode: &str, literal: &str) -> String {
    format!("_f.write({decode}({literal}))")
}

/// As much as leaves the board most of its memory for the source, what it compiles to, and the file system.
fn chunk_size(free_memory: usize) -> usize {
    (free_memory / 32).next_power_of_two().clamp(64, 4096)
}

/// Reads one file as lines of text. What a thread prints on lines of its own is passed over.
#[derive(Debug)]
pub(in crate::board) struct ChunkedRead {
    path: String,
    received: Received,
    delivery: Delivery,
    attempts: u32,
    encoding: Encoding,
    sha256: bool,
}

/// What one attempt has brought so far.
#[derive(Debug)]
struct Received {
    lines: Lines,
    data: Vec<u8>,
    check: Vec<u8>,
    damaged: bool,
}

/// How a line stands for bytes.
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

    /// What the program needs, and how it prints `_data` as a line. Where there is memory for it all at once: what a
    /// thread prints comes before or after it, perhaps without a line end.
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

/// The names in these programs have several letters: a flipped bit must not make one name of another, and a loop endless.
///
/// What makes a hash of all that is read: before the loop, in it, after it.
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

/// More bytes than any line that the board is asked for.
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
                Some(bytes) => self.received.data.extend(bytes),
                None => self.received.damaged = true,
            }
        }
    }

    /// The content, if it is what the board hashed. What a thread has printed into it is asked for again.
    fn finish(&mut self, context: &JobContext<'_>) -> Step {
        let received = core::mem::replace(&mut self.received, Received::new());
        let check = match self.sha256 {
            true => to_hexadecimal(&Sha256::digest(&received.data)),
            false => format!("{}", literal::weak_sum(&received.data)),
        };
        if !received.damaged && received.check == check.as_bytes() {
            Step::Done(self.delivery.answer(received.data))
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
            data: Vec::new(),
            check: Vec::new(),
            damaged: false,
        }
    }
}

impl Job for ChunkedRead {
    fn start(&mut self, context: &JobContext<'_>) -> Step {
        self.attempts += 1;
        let board = context.capabilities;
        (self.encoding, self.sha256) = (Encoding::choose(board), board.sha256);
        let chunk = chunk_size(board.free_memory) / 3 * 3;
        let [import, encode] = self.encoding.program();
        let [begin, add, end] = match board.sha256 {
            true => SHA256_OF_CHUNKS,
            false => SUM_OF_CHUNKS,
        };
        let name = literal::checked(&[("_path", &self.path)]);
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
        self.delivery.take(&self.received.data)
    }

    fn progress(&self) -> Option<Progress> {
        Some(Progress {
            done: self.received.data.len() as u64,
            total: None,
            entries: 0,
        })
    }
}
