//! Unread output of a device.

use std::{collections::VecDeque, ops::Range};

use regex::bytes::Regex;

use super::echo::Echoes;

/// The newest part of a device's unread output.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    bytes: VecDeque<u8>,
    /// Total number of bytes read or lost.
    before: u64,
    /// Number of bytes lost since the last report.
    lost: u64,
    echoes: Echoes,
    /// True when the line of the first byte began before it.
    is_middle: bool,
}

impl Unread {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(LONGEST);
        self.lost += excess as u64;
        self.drop_first(excess);
    }

    /// Returns the position after the last byte, counted from the first byte ever received.
    pub(crate) fn end(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    /// Notes bytes that are being sent; the device may repeat them.
    pub(super) fn sending(&mut self, bytes: &[u8]) {
        let end = self.end();
        self.echoes.sending(bytes, end);
    }

    /// Takes the oldest output that fits into one answer, in whole lines if possible.
    pub(crate) fn take_lines(&mut self) -> Vec<String> {
        let length = self.bytes.len().min(LONGEST_READ);
        let newline = self
            .bytes
            .iter()
            .take(length)
            .rposition(|byte| *byte == b'\n');
        let end = match newline {
            Some(newline) if length < self.bytes.len() => newline + 1,
            _ => length,
        };
        self.take(end)
    }

    /// Returns the number of bytes lost since the last call.
    pub(super) fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// Takes everything up to the line that matches, which must neither begin before `from` nor be an echo; only the
    /// newest part if it exceeds one answer.
    pub(super) fn take_to(&mut self, wanted: &Regex, from: u64) -> Option<Vec<String>> {
        let from = usize::try_from(from.saturating_sub(self.before)).unwrap_or(usize::MAX);
        let bytes = self.bytes.make_contiguous();
        let echoes = self.echoes.find(bytes, self.before, self.is_middle);
        let found = wanted
            .find_iter(bytes.get(from..)?)
            .map(|found| from + found.start()..from + found.end())
            .find(|found| {
                let overlaps =
                    |echo: &Range<usize>| echo.start < found.end && found.start < echo.end;
                !echoes.iter().any(overlaps)
            })?
            .end;
        let newline = bytes[found..].iter().position(|byte| *byte == b'\n');
        let end = newline.map_or(bytes.len(), |newline| found + newline + 1);
        self.drop_first(end.saturating_sub(LONGEST_READ));
        Some(self.take(end.min(LONGEST_READ)))
    }

    /// Returns the last lines, which stay unread.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let start = self.bytes.len().saturating_sub(LONGEST_PEEK);
        lines(self.bytes.range(start..).copied().collect())
    }

    fn take(&mut self, end: usize) -> Vec<String> {
        let taken: Vec<_> = self.bytes.drain(..end).collect();
        self.echoes.take(&taken, self.before, self.is_middle);
        self.is_middle = taken.last().map_or(self.is_middle, |last| *last != b'\n');
        self.before += end as u64;
        lines(taken)
    }

    fn drop_first(&mut self, count: usize) {
        self.before += count as u64;
        let last = self.bytes.drain(..count).next_back();
        self.is_middle = last.map_or(self.is_middle, |last| last != b'\n');
    }
}

fn lines(bytes: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// Limit of unread output, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;
/// Limit of an answer, in bytes.
const LONGEST_READ: usize = 64 * 1024;
/// Limit of unread output that an answer previews, in bytes.
const LONGEST_PEEK: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f24_one_reading_is_at_most_64_kib_of_whole_lines_and_the_newest_4_mib_are_kept() {
        let mut unread = Unread::default();
        unread.add(b"first\n");
        for _ in 0..50 {
            unread.add(&b"0123456789abcde\n".repeat(8 * 1024));
        }
        assert_eq!(unread.bytes.len(), LONGEST);
        assert_eq!(
            unread.take_lost(),
            (50 * 8 * 16 * 1024 + 6 - LONGEST) as u64
        );
        let mut readings = 0;
        while !unread.bytes.is_empty() {
            let read = unread.take_lines();
            assert!(read.len() * 16 <= LONGEST_READ && !read.contains(&"first".to_owned()));
            readings += 1;
        }
        assert_eq!((readings, unread.take_lost()), (LONGEST / LONGEST_READ, 0));
        unread.add(b"a prompt without an end");
        assert_eq!(unread.take_lines(), ["a prompt without an end"]);
    }

    #[test]
    fn a_text_is_found_behind_a_place_and_taken_with_its_line() {
        let take_to =
            |unread: &mut Unread, text, from| unread.take_to(&Regex::new(text).unwrap(), from);
        let mut unread = Unread::default();
        unread.add(b"ready\nold\n");
        let from = unread.end();
        assert_eq!(take_to(&mut unread, "ready", from), None);
        unread.add(b"t=1\nREA");
        assert_eq!(take_to(&mut unread, "READY", from), None);
        unread.add(b"DY now\nmore\n");
        let expected = ["ready", "old", "t=1", "READY now"].map(str::to_owned);
        assert_eq!(
            take_to(&mut unread, "R[A-Z]+Y", from),
            Some(expected.to_vec())
        );
        assert_eq!(unread.last_lines(), ["more"]);
        assert_eq!(unread.take_lines(), ["more"]);
    }

    /// A caller that waits for the output of `print('READY')` must not take its echo for it.
    #[test]
    fn an_echo_of_what_was_sent_is_not_the_text_that_is_waited_for() {
        let take_to =
            |unread: &mut Unread, text, from| unread.take_to(&Regex::new(text).unwrap(), from);
        let mut unread = Unread::default();
        unread.add(b">>> ");
        let from = unread.end();
        unread.sending(b"print('READY')\n");
        for part in [&b"print('RE"[..], b"ADY')", b"\r\n"] {
            unread.add(part);
            assert_eq!(take_to(&mut unread, "READY", from), None);
        }
        unread.add(b"READY\r\n>>> ");
        let lines = take_to(&mut unread, "READY", from).unwrap();
        assert_eq!(lines, [">>> print('READY')", "READY"]);
        // An echo that was read is not expected again; an echo of which only the beginning was read still is.
        unread.sending(b"PING\n");
        unread.add(b"PING\r\n");
        unread.take_lines();
        unread.add(b"PING\r\n");
        assert!(take_to(&mut unread, "PING", 0).is_some());
        unread.sending(b"PING READY\n");
        unread.add(b"PING RE");
        unread.take_lines();
        unread.add(b"ADY\r\n");
        assert_eq!(take_to(&mut unread, "ADY", 0), None);
    }
}
