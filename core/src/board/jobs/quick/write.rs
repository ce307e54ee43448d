//! Writes small files by sending them inside the program that writes them.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::deflate::compress_to_vec;

use super::{CONTENT_LIMIT, beginning};
use crate::{
    board::{
        Answer, Config, Error, Progress, TransferMethod, Written,
        jobs::{Job, JobContext, Step, receiver::DEFLATE_LEVEL, transfer::temporary_name},
    },
    channel::crc32,
    literal,
    raw_repl::Outcome,
};

/// Body of a loop: compares the checksum, skips an unchanged file, writes beside the old one and renames. Where a
/// comparison fails, it is the index of an item that is not there: that is shorter than an exception of its own, and any
/// exception leads to the ordinary way.
const SUM: &str = include_str!("../../python/quick/sum.py");
const SAME: &str = include_str!("../../python/quick/same.py");
const WRITE: &str = include_str!("../../python/quick/write.py");
/// Body of a loop: compares the checksum, and creates a directory unless it exists.
const DIRECTORIES: &str = include_str!("../../python/quick/directories.py");
/// Start and end of the call that unpacks content.
const UNPACK: [&str; 2] = ["d.DeflateIO(i.BytesIO(", "),1,12).read()"];

/// Start and end of the call that unpacks content for a link that carries only text.
const UNPACK_TEXT: [&str; 2] = ["u.a2b_base64(b'", "')"];

/// Writes small files by one program.
#[derive(Debug)]
struct QuickWrite {
    program: String,
    written: Written,
    entries: usize,
    is_done: bool,
}

/// Creates directories, and then writes files of at most `CONTENT_LIMIT` bytes together.
pub(super) fn write(
    directories: &[&str],
    files: &[(&str, &[u8])],
    config: &Config,
) -> Option<Box<dyn Job>> {
    let bytes: usize = files.iter().map(|(_, data)| data.len()).sum();
    if bytes > CONTENT_LIMIT || files.is_empty() {
        return None;
    }
    let mut method = TransferMethod::Literal;
    let mut list = String::new();
    for (path, data) in files {
        let (of_content, content) = content(data, config);
        method = method.max(of_content);
        let (sum, length) = (checksum(path, data), format!("{}", data.len()));
        let [path, part] = [path, &*temporary_name(path, data, "part")].map(literal::text);
        for part in [
            "(", &path, ",", &part, ",", &sum, ",", &length, ",", &content, "),",
        ] {
            list.push_str(part);
        }
    }
    let import = match method {
        TransferMethod::Deflate => "ubinascii as u,deflate as d,uio as i",
        _ => "ubinascii as u",
    };
    let same = if config.rewrites { "" } else { SAME };
    let made = make(directories);
    let written = ["for n,t,s,l,c in ", &list, ":\n", SUM, same, WRITE].concat();
    let program = [beginning(import), made, written].concat();
    let written = Written {
        bytes: bytes as u64,
        on_wire: program.chars().count() as u64,
        method,
    };
    Some(Box::new(QuickWrite {
        program,
        written,
        entries: directories.len() + files.len(),
        is_done: false,
    }))
}

/// Returns the lines that create directories.
fn make(directories: &[&str]) -> String {
    if directories.is_empty() {
        return String::new();
    }
    let mut lines = String::from("for n,s in ");
    for path in directories {
        for part in ["(", &literal::text(path), ",", &checksum(path, &[]), "),"] {
            lines.push_str(part);
        }
    }
    lines + ":\n" + DIRECTORIES
}

/// Returns the checksum over a path and its content.
fn checksum(path: &str, data: &[u8]) -> String {
    format!("{}", crc32(&[path.as_bytes(), data].concat()))
}

/// Returns the shortest form of a content that the link carries and that the board is known to read.
fn content(data: &[u8], config: &Config) -> (TransferMethod, String) {
    if !config.text_link {
        let inflates = config.remembered.as_ref().is_some_and(|it| it.inflate);
        let plain = literal::dense(data);
        return match packed(data).filter(|packed| inflates && packed.len() < plain.len()) {
            Some(packed) => (TransferMethod::Deflate, packed),
            None => (TransferMethod::Literal, plain),
        };
    }
    let content = literal::bytes(data);
    let packed = BASE64.encode(data);
    let [before, after] = UNPACK_TEXT;
    match packed.len() + before.len() + after.len() < content.len() {
        true => (TransferMethod::Base64, [before, &packed, after].concat()),
        false => (TransferMethod::Literal, content),
    }
}

/// Returns the expression that unpacks a content, if unpacking saves time.
fn packed(data: &[u8]) -> Option<String> {
    let packed = compress_to_vec(data, DEFLATE_LEVEL);
    let [before, after] = UNPACK;
    (packed.len() + WORTH < data.len()).then(|| [before, &literal::dense(&packed), after].concat())
}

/// Number of bytes that take a board as long to read as unpacking takes.
const WORTH: usize = 512;

impl Job for QuickWrite {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::Run(self.program.clone())
    }

    fn on_stdout(&mut self, _bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        Step::Ignore
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            Some(error) => Err(error),
            None => {
                self.is_done = true;
                Ok(Answer::Written(self.written))
            }
        })
    }

    fn progress(&self) -> Option<Progress> {
        self.is_done.then_some(Progress {
            done: self.written.bytes,
            total: Some(self.written.bytes),
            entries: self.entries,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Capabilities;

    #[test]
    fn random_content_grows_by_a_twentieth_at_most() {
        let mut seed: u32 = 1;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        let data: Vec<u8> = (0..CONTENT_LIMIT).map(|_| random()).collect();
        let mut config = Config {
            remembered: Capabilities::parse(b"inflate"),
            ..Config::default()
        };
        let (method, dense) = content(&data, &config);
        assert_eq!(method, TransferMethod::Literal);
        assert!(dense.chars().count() < CONTENT_LIMIT * 21 / 20);
        let text = b"print('hello')\n".repeat(100);
        assert_eq!(content(&text, &config).0, TransferMethod::Deflate);
        config.text_link = true;
        let (method, _) = content(&data, &config);
        assert_eq!(method, TransferMethod::Base64);
    }
}
