//! Writes by programs of plain ASCII, one chunk each: for boards and links that support nothing else.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::deflate::compress_to_vec;
use sha2::{Digest, Sha256};

use super::{chunk_size, of_entry, temporary_name};
use crate::{
    board::{
        Answer, Capabilities, Error, NewEntry, Progress, TransferMethod, Written,
        jobs::{
            Job, JobContext, Step,
            checked::{checked, weak_sum},
            keep,
            receiver::DEFLATE_LEVEL,
        },
    },
    literal,
    raw_repl::{KEPT, Outcome},
    to_hexadecimal,
};

/// Smallest chunk to try, in bytes, before the request fails for lack of memory.
const LEAST_CHUNK: usize = 32;
/// The widest window that inflating needs on the board, as a power of two.
const WINDOW_BITS: u8 = 12;
/// Limit of the answer to a check, in bytes: a blank for each piece of the file, and output of
/// threads.
const CHECK_LIMIT: usize = 1024 * 1024;
const SUM: &str = include_str!("../../python/sum.py");
const COPY: &str = include_str!("../../python/change/copy.py");
const RENAME: &str = include_str!("../../python/change/rename.py");

/// Writes one file, chunk by chunk, beside the old one.
#[derive(Debug)]
pub(in crate::board) struct ChunkedWrite {
    entry: NewEntry,
    /// The file being written: beside the old one, or in its place.
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
    /// Renaming the new file.
    Replacing,
    /// Like renaming, on a board that cannot rename: the old file is gone, and the new one is
    /// copied into its place.
    Copying,
    CleaningUp,
    Following,
}

impl ChunkedWrite {
    /// Writes one file, then runs `then`, if given.
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

    /// Writes the next chunk in the shortest form that the board reads.
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
            format!(
                "__fl__['f'].close()\nimport hashlib\n{SUM}print('\\n=%s\\n'%_h({part}),end='')"
            )
        } else {
            format!("__fl__['f'].close()\n{SUM}print('\\n=%d {length}\\n'%_s({part}),end='')")
        })
    }

    fn is_whole(&self, board: &Capabilities) -> bool {
        let expected = if board.sha256 {
            to_hexadecimal(&Sha256::digest(self.data()))
        } else {
            format!("{} {}", weak_sum(self.data()), self.data().len())
        };
        let lines = self.output.split(|&byte| byte == b'\n');
        let mut checks = lines.filter_map(|line| line.trim_ascii().strip_prefix(b"="));
        checks.any(|check| check == expected.as_bytes())
    }

    /// Moves the complete new file into the old one's place, unless it is already there.
    fn replace(&mut self, board: &Capabilities) -> Step {
        if let NewEntry::Overwrite { .. } = self.entry {
            return self.follow();
        }
        let names = checked(&[("_part", &self.part), ("_path", self.entry.path())]);
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

    /// Returns the code that removes the old file if space is needed.
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
            "try:\n import os\n __fl__['f'].close()\n os.remove({part})\nexcept:pass"
        ))
    }

    fn chunk_ended(&mut self, board: &Capabilities) -> Step {
        self.sent += core::mem::take(&mut self.in_flight);
        self.next_chunk(board)
    }

    /// Retries with a smaller chunk after one that did not fit into the board's memory and was not
    /// written.
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
        let board = context.capabilities;
        let when = |has: bool, text: &'static str| if has { text } else { "" };
        let (part, make_room) = (self.part(), self.make_room());
        let [base64, hex] = [when(board.base64, BASE64_IMPORT), when(board.hex, FROM_HEX)];
        let [from_base64, inflate] = [
            when(board.base64, FROM_BASE64),
            when(board.base64 && board.inflate, INFLATE),
        ];
        Step::RunShort(format!(
            "{base64}{make_room}f=open({part},'wb')\n__fl__={{'f':f,'w':f.write}}\n{hex}{from_base64}{inflate}"
        ))
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        if self.state != WriteState::Checking {
            return Step::Ignore;
        }
        keep(&mut self.output, &bytes, CHECK_LIMIT);
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
            // The file's name did not arrive, so nothing was done.
            (WriteState::Copying, Some(Error::Damaged)) => self.clean_up(Error::Damaged),
            // The new file may be the only complete one.
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

    /// The current chunk is short, and ends by itself. Then the board closes its file.
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

/// Import for the expression that reads a chunk, under a name of one letter.
const BASE64_IMPORT: &str = "from binascii import a2b_base64 as a\n";
const FROM_BASE64: &str = "__fl__['b']=lambda d:f.write(a(d))\n";
const FROM_HEX: &str = "__fl__['x']=lambda d:f.write(bytes.fromhex(d))\n";
const INFLATE: &str = "import deflate,io\n__fl__['z']=lambda d:f.write(deflate.DeflateIO(io.BytesIO(a(d)),deflate.RAW,12).read())\n";

/// Returns the shortest program that writes `raw`, among those that the board can run.
fn shortest(raw: &[u8], board: &Capabilities) -> (TransferMethod, String) {
    let mut best = (
        TransferMethod::Literal,
        write_call('w', &literal::bytes(raw)),
    );
    let mut offer = |method, code: String| {
        if code.len() < best.1.len() {
            best = (method, code);
        }
    };
    if board.hex {
        let hex = to_hexadecimal(raw);
        offer(TransferMethod::Hex, write_call('x', &format!("'{hex}'")));
    }
    if board.base64 {
        offer(
            TransferMethod::Base64,
            write_call('b', &format!("b'{}'", BASE64.encode(raw))),
        );
    }
    if board.base64 && board.inflate && raw.len() <= 1 << WINDOW_BITS {
        let packed = compress_to_vec(raw, DEFLATE_LEVEL);
        offer(
            TransferMethod::Deflate,
            write_call('z', &format!("b'{}'", BASE64.encode(packed))),
        );
    }
    best
}

fn write_call(kind: char, literal: &str) -> String {
    format!("{KEPT}['{kind}']({literal})")
}
