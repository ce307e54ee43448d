//! Detects lines of a device inside its log.

use alloc::{string::String, vec::Vec};

use crate::export::reply::body::without_return;
use crate::export::reply::line::{Opening, is_logger};

/// Searches the lines of a body, which may be split anywhere, for the first that the device did not mean as a row: an
/// `ERROR`, another header, a line of its logger.
///
/// A size would have revealed such lines; between `BEGIN` and `END`, nothing else does.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// The unfinished line, if it may become such a line.
    line: Vec<u8>,
    /// True if the unfinished line is known to be a row.
    is_row: bool,
    first: Option<String>,
}

impl Strays {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        if self.first.is_some() {
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_new = self.line.is_empty() && !self.is_row;
            self.is_row |= is_new && !may_begin_stray(part);
            if !self.is_row {
                self.line.extend_from_slice(part);
                self.is_row = self.line.len() > LONGEST_LINE;
            }
            if part.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    /// Returns the first such line.
    pub(crate) fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }

    fn end_line(&mut self) {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        if !self.is_row && self.first.is_none() && is_stray(line) {
            self.first = Some(String::from_utf8_lossy(without_return(line)).into_owned());
        }
        self.line.clear();
        self.is_row = false;
    }
}

/// Checks the first byte cheaply: rows of numbers pass without being copied.
const fn may_begin_stray(line: &[u8]) -> bool {
    matches!(
        line,
        [
            b'E' | b'B' | b'S' | b's' | b'I' | b'W' | b'D' | b'V' | b' ' | ESCAPE,
            ..
        ]
    )
}

fn is_stray(line: &[u8]) -> bool {
    matches!(Opening::read(line), Opening::Header(_) | Opening::Error(_)) || is_logger(line)
}

const ESCAPE: u8 = 0x1b;
/// Limit in bytes. A longer line is a row.
const LONGEST_LINE: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn first(body: &str, chunk: usize) -> Option<String> {
        let mut strays = Strays::default();
        body.as_bytes()
            .chunks(chunk)
            .for_each(|bytes| strays.feed(bytes));
        strays.first
    }

    #[test]
    fn a_line_of_the_device_is_found_wherever_it_is_and_however_it_is_cut() {
        for line in [
            "ERROR: SD read failed",
            "ERR 5",
            "BEGIN",
            "BEGIN LINES=3",
            "SIZE=12",
            "size: 12",
            "W (9182) wifi: beacon lost",
            "\x1b[0;32mI (3211) sd: closed\x1b[0m",
        ] {
            for end in ["\n", "\r\n"] {
                let body = ["t,v\n0,1\n", line, end, "2,3\n"].concat();
                for chunk in 1..=body.len() {
                    assert_eq!(first(&body, chunk).as_deref(), Some(line), "{chunk}");
                }
            }
        }
    }

    #[test]
    fn rows_that_look_a_little_like_one_are_rows() {
        let rows = "ERROR,5\nBEGINNING\nSize,7\nI am a row\nEVENT (3)\nWest,1\n1,ERROR: no\n";
        let long = ["ERROR ", &"x".repeat(300), "\n"].concat();
        for chunk in [1, 7, 1000] {
            assert_eq!(first(rows, chunk), None);
            assert_eq!(first(&long, chunk), None);
        }
    }
}
