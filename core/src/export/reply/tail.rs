//! Judges the data after a body, which shows whether the body is complete.

use alloc::{string::String, vec::Vec};

use crate::export::reply::checksum::Checksum;
use crate::export::reply::header::Framing;
use crate::export::reply::line::Closing;

/// The bytes after a body.
///
/// A lost or duplicated byte moves the end: the data after it then no longer begins with a line break and a valid line.
/// The only valid tails are therefore nothing, or one line break, an answer (`CRC32=…`, `OK …`, a logger's line, a
/// prompt), and after that anything.
#[derive(Debug)]
pub(crate) struct Tail {
    sized: bool,
    /// True if only a checksum ends the tail.
    needs_checksum: bool,
    bytes: Vec<u8>,
}

/// Judgment of a body by its tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The tail is valid.
    Fits {
        /// The device's checksum, if it sent one.
        checksum: Option<Checksum>,
        /// True if the device confirmed the end: by a checksum, or by `OK` or `DONE`.
        answered: bool,
    },
    /// The data is not a valid tail.
    Moved,
    /// The name of a checksum without its number; contains the line.
    BrokenChecksum(String),
    /// The device reports an error.
    Error(String),
}

impl Tail {
    pub(crate) fn new(framing: Framing, needs_checksum: bool) -> Self {
        Self {
            sized: matches!(framing, Framing::Sized { .. }),
            needs_checksum,
            bytes: Vec::new(),
        }
    }

    /// Takes bytes until the tail is complete, and returns their number.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let line = &line[..line.len().min(LONGEST_TAIL - self.bytes.len())];
            self.bytes.extend_from_slice(line);
            taken += line.len();
            if self.is_complete() {
                break;
            }
        }
        taken
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns true if the device has sent its whole tail, so that waiting is pointless.
    pub(crate) fn is_complete(&self) -> bool {
        let is_end = |line| match Closing::read(line) {
            Closing::Done => !self.needs_checksum || self.has_checksum(),
            Closing::Error(_) => true,
            Closing::Checksum(_) | Closing::BrokenChecksum(_) | Closing::Log | Closing::Unknown => {
                false
            }
        };
        self.bytes.len() == LONGEST_TAIL || self.whole_lines().any(is_end)
    }

    /// Returns true if one of its lines is a checksum, valid or not.
    pub(crate) fn has_checksum(&self) -> bool {
        let is_checksum = |line| {
            matches!(
                Closing::read(line),
                Closing::Checksum(_) | Closing::BrokenChecksum(_)
            )
        };
        self.whole_lines().any(is_checksum)
    }

    /// Reads the tail after `last`, the last bytes of the body.
    pub(crate) fn verdict(&self, last: &[u8]) -> Verdict {
        if self.bytes.is_empty() {
            return SILENT;
        }
        let Some(lines) = self.after_break() else {
            return self.spoken_error().unwrap_or(Verdict::Moved);
        };
        let verdict = if lines.is_empty() {
            self.lone_break(last)
        } else {
            read(lines)
        };
        // Of "0,1\r\n" cut to "0,1\r", the rest looks like the break before an answer. A checksum decides.
        if self.sized
            && matches!(verdict, Verdict::Fits { checksum: None, .. })
            && last.ends_with(b"\r")
            && self.bytes.starts_with(b"\n")
        {
            return Verdict::Moved;
        }
        verdict
    }

    /// Judges a lone line break. A duplicated byte pushes the body's last line end out, which looks like a break; if
    /// the body still has a line end, it was a break.
    fn lone_break(&self, last: &[u8]) -> Verdict {
        if self.sized && !last.is_empty() && !last.ends_with(b"\n") {
            return Verdict::Moved;
        }
        SILENT
    }

    /// Returns the data after the one line break that follows a sized body. `END` includes its own line break, so
    /// another is optional.
    fn after_break(&self) -> Option<&[u8]> {
        let after = self
            .bytes
            .strip_prefix(b"\r\n")
            .or_else(|| self.bytes.strip_prefix(b"\n"));
        if self.sized {
            after
        } else {
            after.or(Some(&self.bytes))
        }
    }

    fn whole_lines(&self) -> impl Iterator<Item = &[u8]> {
        let end = memchr::memrchr(b'\n', &self.bytes).unwrap_or(0);
        self.bytes[..end].split(|byte| *byte == b'\n')
    }

    fn spoken_error(&self) -> Option<Verdict> {
        self.whole_lines()
            .find_map(|line| match Closing::read(line) {
                Closing::Error(text) => Some(Verdict::Error(text)),
                Closing::Checksum(_)
                | Closing::BrokenChecksum(_)
                | Closing::Done
                | Closing::Log
                | Closing::Unknown => None,
            })
    }
}

/// Interprets the last line of a body as a tail. A body that ends in an answer contains bytes of the tail, and lost as
/// many of its own.
pub(crate) fn closing(last: &[u8]) -> Closing {
    let last = last.strip_suffix(b"\n").unwrap_or(last);
    Closing::read(last.rsplit(|byte| *byte == b'\n').next().unwrap_or(last))
}

/// Reads the tail. The first line must be valid after a body; a checksum may follow later, after lines of a logger.
fn read(lines: &[u8]) -> Verdict {
    let (mut checksum, mut is_done) = (None, false);
    for (index, line) in lines.split(|byte| *byte == b'\n').enumerate() {
        match Closing::read(line) {
            Closing::Error(text) => return Verdict::Error(text),
            Closing::BrokenChecksum(line) => return Verdict::BrokenChecksum(line),
            Closing::Checksum(found) => checksum = checksum.or(Some(found)),
            Closing::Done => is_done = true,
            Closing::Log => {}
            Closing::Unknown if index == 0 => return Verdict::Moved,
            Closing::Unknown => {}
        }
    }
    Verdict::Fits {
        checksum,
        answered: is_done || checksum.is_some(),
    }
}

/// Verdict for nothing, or nothing but a line break.
const SILENT: Verdict = Verdict::Fits {
    checksum: None,
    answered: false,
};
/// Length that exceeds any answer. A tail of this length is read without waiting for more.
const LONGEST_TAIL: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn after(framing: Framing, last: &[u8], tail: &[u8]) -> Verdict {
        let mut it = Tail::new(framing, false);
        it.push(tail);
        it.verdict(last)
    }

    const SIZED: Framing = Framing::Sized { size: 1 };
    const MARKED: Framing = Framing::Marked { lines: None };
    const DONE: Verdict = Verdict::Fits {
        checksum: None,
        answered: true,
    };
    const CRC: Verdict = Verdict::Fits {
        checksum: Some(Checksum::Crc32(1)),
        answered: true,
    };

    #[test]
    fn f8_after_a_sized_body_comes_nothing_or_a_line_break_and_an_answer() {
        let cases: [(&[u8], &[u8], Verdict); 20] = [
            (b"0,1\n", b"", SILENT),
            (b"0,1", b"", SILENT),
            (b"0,1\n", b"\r\nOK: Exported 4 bytes\r\n", DONE),
            (b"0,1", b"\r\nOK\r\n", DONE),
            (b"0,1\n", b"\nDONE\n", DONE),
            (b"0,1\n", b"\nCRC32=00000001\nOK\n", CRC),
            (b"0,1\n", b"\r\nI (7) sd: closed\r\nCRC32=00000001\r\n", CRC),
            (b"0,1\n", b"\n>>> ", SILENT),
            (b"0,1\n", b"\n> ", SILENT),
            (b"0,1\n", b"\r\nlogger> ", SILENT),
            (b"0,1\n", b"\n", SILENT),
            (b"0,1", b"\n", Verdict::Moved),
            (b"0,1\r", b"\n", Verdict::Moved),
            (b"0,1\r", b"\nOK\n", Verdict::Moved),
            (b"0,1", b"\n\r\nOK\r\n", Verdict::Moved),
            (b"0,1", b"\n2,3\n", Verdict::Moved),
            (b"0,1\n", b"2,3\n", Verdict::Moved),
            (b"0,1\n", b"OK\n", Verdict::Moved),
            (
                b"0,1\n",
                b"\nCRC32=00x0\n",
                Verdict::BrokenChecksum("CRC32=00x0".into()),
            ),
            (
                b"0,1\n",
                b"\nERROR: card removed\n",
                Verdict::Error("ERROR: card removed".into()),
            ),
        ];
        for (last, tail, verdict) in cases {
            assert_eq!(
                after(SIZED, last, tail),
                verdict,
                "{:?}",
                String::from_utf8_lossy(tail)
            );
        }
    }

    #[test]
    fn f11_after_end_comes_nothing_or_an_answer_and_never_more_rows() {
        let cases: [(&[u8], Verdict); 6] = [
            (b"", SILENT),
            (b"OK\n", DONE),
            (b"\nCRC32=00000001\n", CRC),
            (b"CRC32=00000001\n", CRC),
            (b"0,1\nEND\n", Verdict::Moved),
            (b"END\n", Verdict::Moved),
        ];
        for (tail, verdict) in cases {
            assert_eq!(
                after(MARKED, b"", tail),
                verdict,
                "{:?}",
                String::from_utf8_lossy(tail)
            );
        }
    }

    #[test]
    fn a_body_that_swallowed_the_answer_is_known_by_its_last_line() {
        assert_ne!(
            closing(b"2,\r\nOK: Exported 10 bytes\r\n"),
            Closing::Unknown
        );
        assert_ne!(closing(b"2,\nCRC32=1a2b3c4d"), Closing::Unknown);
        assert_ne!(closing(b"2,\nCRC32=1a2b"), Closing::Unknown);
        assert_eq!(closing(b"0,1\n2,3\n"), Closing::Unknown);
        assert_eq!(closing(b""), Closing::Unknown);
    }
}
