//! What a device has said and nobody has read.

use std::collections::VecDeque;

use memchr::memmem;

/// The newest part of what a device has said and nobody has read.
#[derive(Debug, Default)]
pub(super) struct Unread {
    bytes: VecDeque<u8>,
    /// How many bytes were ever taken out or lost.
    before: u64,
    /// How many were lost since that was said.
    lost: u64,
}

impl Unread {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(LONGEST);
        self.lost += excess as u64;
        self.drop_first(excess);
    }

    /// The place behind the last byte, counted from the first that ever came.
    pub(super) fn end(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    /// As much as one answer may hold, in whole lines if there is one.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
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

    /// How many bytes were lost since the last time this was asked.
    pub(super) fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// Everything up to the line that holds this text, which must not begin before `from`; the newest of it, when that
    /// is more than one answer may hold.
    pub(super) fn take_to(&mut self, text: &str, from: u64) -> Option<Vec<String>> {
        let from = usize::try_from(from.saturating_sub(self.before)).unwrap_or(usize::MAX);
        let bytes = self.bytes.make_contiguous();
        let found = memmem::find(bytes.get(from..)?, text.as_bytes())? + from + text.len();
        let newline = bytes[found..].iter().position(|byte| *byte == b'\n');
        let end = newline.map_or(bytes.len(), |newline| found + newline + 1);
        self.drop_first(end.saturating_sub(LONGEST_READ));
        Some(self.take(end.min(LONGEST_READ)))
    }

    /// The last lines, which stay unread.
    pub(super) fn last_lines(&self) -> Vec<String> {
        let start = self.bytes.len().saturating_sub(LONGEST_PEEK);
        lines(self.bytes.range(start..).copied().collect())
    }

    fn take(&mut self, end: usize) -> Vec<String> {
        self.before += end as u64;
        lines(self.bytes.drain(..end).collect())
    }

    fn drop_first(&mut self, count: usize) {
        self.before += count as u64;
        self.bytes.drain(..count);
    }
}

fn lines(bytes: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// What is kept until somebody reads it, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;
/// What one answer holds, in bytes.
const LONGEST_READ: usize = 64 * 1024;
/// What an answer shows of words that stay unread, in bytes.
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
        let mut unread = Unread::default();
        unread.add(b"ready\nold\n");
        let from = unread.end();
        assert_eq!(unread.take_to("ready", from), None);
        unread.add(b"t=1\nREA");
        assert_eq!(unread.take_to("READY", from), None);
        unread.add(b"DY now\nmore\n");
        let expected = ["ready", "old", "t=1", "READY now"].map(str::to_owned);
        assert_eq!(unread.take_to("READY", from), Some(expected.to_vec()));
        assert_eq!(unread.last_lines(), ["more"]);
        assert_eq!(unread.take_lines(), ["more"]);
    }
}
