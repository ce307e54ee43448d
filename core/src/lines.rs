//! Text lines out of bytes that arrive in any pieces.

use alloc::vec::Vec;

use memchr::memchr;

/// Cuts a byte stream into lines, holding at most `limit` bytes of an unfinished one.
///
/// Any bytes, split anywhere, give the same lines.
///
/// ```
/// use flylead_core::lines::Lines;
///
/// let mut lines = Lines::new(80);
/// lines.push(b"SIZE=12\r\nrest");
/// assert_eq!(lines.next(), Some(Ok(b"SIZE=12".to_vec())));
/// assert_eq!(lines.next(), None);
/// assert_eq!(lines.take_rest(), b"rest");
/// ```
#[derive(Debug)]
pub struct Lines {
    held: Vec<u8>,
    start: usize,
    scanned: usize,
    limit: usize,
}

/// A line that is longer than the limit. What was held of it is dropped, up to and including its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The limit that was passed, in bytes.
    pub limit: usize,
}

impl Lines {
    /// Lines of at most `limit` bytes, the line end not counted.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
        }
    }

    /// Takes in what arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.held.extend_from_slice(bytes);
    }

    /// The next whole line, without its `\n` or `\r\n`.
    #[expect(
        clippy::should_implement_trait,
        reason = "None is not the end: more lines come with more bytes"
    )]
    pub fn next(&mut self) -> Option<Result<Vec<u8>, TooLong>> {
        match memchr(b'\n', &self.held[self.scanned..]) {
            Some(length) => {
                let end = self.scanned + length;
                let line = trim_carriage_return(&self.held[self.start..end]);
                let line = if line.len() > self.limit {
                    Err(self.too_long())
                } else {
                    Ok(line.to_vec())
                };
                self.start = end + 1;
                self.scanned = self.start;
                Some(line)
            }
            None => {
                self.scanned = self.held.len();
                None
            }
        }
    }

    /// How many bytes wait for the end of their line. A caller that bounds its memory compares this with its limit.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.held.len() - self.start
    }

    /// Everything after the last whole line, taken out.
    pub fn take_rest(&mut self) -> Vec<u8> {
        let rest = self.held.split_off(self.start);
        *self = Self::new(self.limit);
        rest
    }

    const fn too_long(&self) -> TooLong {
        TooLong { limit: self.limit }
    }
}

fn trim_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
