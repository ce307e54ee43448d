//! Writes small files by sending them inside the program that writes them.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString},
    vec::Vec,
};

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use miniz_oxide::deflate::compress_to_vec_zlib;

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

/// Compares the checksum of a path `n` and its content `c`. Where a comparison fails, it is the index of an item that is
/// not there: that is shorter than an exception of its own, and any exception leads to the ordinary way.
const SUM: &str = include_str!("../../python/quick/sum.py");
/// Skips an unchanged file.
const SAME: &str = include_str!("../../python/quick/same.py");
/// Writes the content beside the old file, to `t`, and renames.
const WRITE: &str = include_str!("../../python/quick/write.py");
/// Unpacks a path and its content together. The board compares their Adler-32 by itself (MicroPython v1.28
/// `lib/uzlib/tinflate.c`).
const UNPACK: &str = include_str!("../../python/quick/unpack.py");
/// Body of a loop: compares the checksum, and creates a directory unless it exists.
const DIRECTORIES: &str = include_str!("../../python/quick/directories.py");
const MODULES: &str = "ubinascii as u";
const MODULES_TO_UNPACK: &str = "deflate as d,uio as i";

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
    let (method, program) = match (directories, files) {
        ([], [(path, data)]) => one(path, data, config),
        _ => several(directories, files, config),
    };
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

/// Returns the program for a single file, which needs no loop.
fn one(path: &str, data: &[u8], config: &Config) -> (TransferMethod, String) {
    let length = data.len().to_string();
    let temporary = format!("t={}\n", literal::text(&temporary_name(path, data, "part")));
    let work = body(config, "return").replace("LENGTH", &length);
    let whole = [path.as_bytes(), data].concat();
    if let Some(packed) = packed(&whole, config) {
        let unpack = UNPACK.replace("LENGTH", &path.len().to_string());
        let unpack = unpack.replace("PACKED", &packed);
        let program = [beginning(MODULES_TO_UNPACK), temporary, unpack, work].concat();
        return (TransferMethod::Deflate, program);
    }
    let (method, content) = content(data, config);
    let names = format!("n={}\n{temporary}c={content}\n", literal::text(path));
    let sum = SUM.replace("SUM", &checksum(path, data));
    (method, [beginning(MODULES), names, sum, work].concat())
}

/// Returns the program for directories and files, one after the other.
fn several(
    directories: &[&str],
    files: &[(&str, &[u8])],
    config: &Config,
) -> (TransferMethod, String) {
    let mut method = TransferMethod::Literal;
    let mut list = String::new();
    for (path, data) in files {
        let (of_content, content) = match packed(data, config) {
            Some(packed) => {
                let unpacked = format!("d.DeflateIO(i.BytesIO({packed})).read()");
                (TransferMethod::Deflate, unpacked)
            }
            None => content(data, config),
        };
        method = method.max(of_content);
        let (sum, length) = (checksum(path, data), data.len().to_string());
        let [path, part] = [path, &*temporary_name(path, data, "part")].map(literal::text);
        for part in [
            "(", &path, ",", &part, ",", &sum, ",", &length, ",", &content, "),",
        ] {
            list.push_str(part);
        }
    }
    let modules = match method {
        TransferMethod::Deflate => format!("{MODULES},{MODULES_TO_UNPACK}"),
        _ => MODULES.into(),
    };
    let work = SUM.replace("SUM", "s") + &body(config, "continue").replace("LENGTH", "l");
    let made = make(directories);
    let mut written = ["for n,t,s,l,c in ", &list, ":\n"].concat();
    for line in work.lines() {
        written.extend([" ", line, "\n"]);
    }
    (method, [beginning(&modules), made, written].concat())
}

/// Returns the lines that write a file, and that `skip` one that is unchanged.
fn body(config: &Config, skip: &str) -> String {
    let same = if config.rewrites { "" } else { SAME };
    same.replace("SKIP", skip) + WRITE
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

/// Returns the shortest form of a content that the link carries.
fn content(data: &[u8], config: &Config) -> (TransferMethod, String) {
    if !config.text_link {
        return (TransferMethod::Literal, literal::dense(data));
    }
    let plain = literal::bytes(data);
    let packed = format!("u.a2b_base64(b'{}')", BASE64.encode(data));
    match packed.len() < plain.len() {
        true => (TransferMethod::Base64, packed),
        false => (TransferMethod::Literal, plain),
    }
}

/// Returns a zlib stream as a literal, if the link carries it, the board is known to read it, and unpacking saves time.
fn packed(data: &[u8], config: &Config) -> Option<String> {
    let inflates = config.remembered.as_ref().is_some_and(|it| it.inflate);
    if config.text_link || !inflates {
        return None;
    }
    let mut packed = compress_to_vec_zlib(data, DEFLATE_LEVEL);
    packed[..2].copy_from_slice(&header(data.len()));
    (packed.len() + WORTH < data.len()).then(|| literal::dense(&packed))
}

/// Returns the header of a zlib stream that asks for no larger window than `length` bytes need: the board allocates it
/// (RFC 1950, section 2.2).
fn header(length: usize) -> [u8; 2] {
    let bits = length.next_power_of_two().ilog2().clamp(8, 15);
    let method = ((bits as u8 - 8) << 4) | 8;
    let check = 31 - u16::from(method) * 256 % 31;
    [method, check as u8]
}

/// Number of bytes that take a board as long to read as unpacking takes.
const WORTH: usize = 512;

impl Job for QuickWrite {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::RunShort(self.program.clone())
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
        assert_eq!(packed(&data, &config), None);
        let (method, dense) = content(&data, &config);
        assert_eq!(method, TransferMethod::Literal);
        assert!(dense.chars().count() < CONTENT_LIMIT * 21 / 20);
        let text = b"print('hello')\n".repeat(100);
        assert_eq!(one("a", &text, &config).0, TransferMethod::Deflate);
        let both = [("a", &text[..]), ("b", &data[..9])];
        assert_eq!(several(&[], &both, &config).0, TransferMethod::Deflate);
        config.text_link = true;
        let (method, _) = content(&data, &config);
        assert_eq!(method, TransferMethod::Base64);
    }

    #[test]
    fn a_stream_asks_for_the_window_that_it_needs() {
        let config = Config {
            remembered: Capabilities::parse(b"inflate"),
            ..Config::default()
        };
        for (length, bits) in [(1, 8), (1024, 10), (1025, 11), (2048, 11), (4200, 13)] {
            let [method, check] = header(length).map(u16::from);
            assert_eq!((method >> 4) + 8, bits, "{length}");
            assert_eq!((method * 256 + check) % 31, 0, "{length}");
            let start = literal::dense(&header(length));
            let has_header = |stream: String| stream.starts_with(start.trim_end_matches('\''));
            let stream = packed(&b"x".repeat(length), &config);
            assert_eq!(stream.map(has_header), (length > 1000).then_some(true));
        }
        assert_eq!(packed(&[b'x'; 500], &config), None);
    }
}
