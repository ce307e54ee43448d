//! Text lines from bytes that may be split anywhere.

use alloc::vec::Vec;

use memchr::memchr;

/// Cuts a byte stream into lines, storing at most `limit` bytes of an unfinished one.
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
    /// True while the rest of an overlong line is skipped.
    skips: bool,
}

/// Error: a line exceeds the limit. Its stored part is dropped, up to and including its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The exceeded limit, in bytes.
    pub limit: usize,
}

impl Lines {
    /// Creates a splitter for lines of at most `limit` bytes, not counting the line end.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            skips: false,
        }
    }

    /// Takes received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let bytes = match memchr(b'\n', bytes) {
            _ if !self.skips => bytes,
            Some(end) => &bytes[end + 1..],
            None => return,
        };
        self.skips = false;
        self.held.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.held.extend_from_slice(bytes);
    }

    /// Returns the next complete line, without its `\n` or `\r\n`.
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
            // One byte more may be the carriage return.
            None if self.unfinished() > self.limit + 1 => {
                *self = Self::new(self.limit);
                self.skips = true;
                Some(Err(self.too_long()))
            }
            None => {
                self.scanned = self.held.len();
                None
            }
        }
    }

    /// Returns the number of bytes of an unfinished line.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.held.len() - self.start
    }

    /// Takes out everything after the last complete line.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_takes_no_more_room_than_the_limit() {
        let mut lines = Lines::new(10);
        let mut faults = 0;
        for _ in 0..1000 {
            lines.push(&[b'x'; 20]);
            faults += usize::from(lines.next() == Some(Err(TooLong { limit: 10 })));
            assert!(lines.held.capacity() <= 64, "{}", lines.held.capacity());
        }
        assert_eq!(faults, 1);
        lines.push(b"x\nwhole\n");
        assert_eq!(lines.next(), Some(Ok(b"whole".to_vec())));
    }

    #[test]
    fn lines_at_the_limit_are_the_same_however_they_are_split() {
        let bytes = b"12345\r\n123456\r\n1234567\n\n12345678901\r\n12345\n";
        let read = |size: usize| {
            let mut lines = Lines::new(5);
            let mut read = Vec::new();
            for piece in bytes.chunks(size) {
                lines.push(piece);
                read.extend(core::iter::from_fn(|| lines.next()));
            }
            read
        };
        let whole = read(bytes.len());
        assert_eq!(whole.iter().filter(|line| line.is_ok()).count(), 3);
        for size in [1, 2, 3, 7] {
            assert_eq!(read(size), whole, "by {size}");
        }
    }
}
