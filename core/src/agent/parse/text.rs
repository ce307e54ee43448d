//! A message as text: decodes it and reads it line by line.

use alloc::{borrow::Cow, string::String, vec::Vec};

use memchr::{memchr, memrchr};

use super::{LINE_LIMIT, prose::debris::trim, rejected::Rejected};

/// Converts a message's bytes to text: UTF-8, or UTF-16 with a byte order mark. The mark is removed.
///
/// # Errors
/// [`Rejected::NotText`]: nothing is replaced, because it would end up in files.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Rejected> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes).map(Cow::Owned),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes).map(Cow::Owned),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest, 3).map(Cow::Borrowed),
        _ => decode_utf8(bytes, 0).map(Cow::Borrowed),
    }
}

fn decode_utf8(bytes: &[u8], skipped: usize) -> Result<&str, Rejected> {
    core::str::from_utf8(bytes).map_err(|error| Rejected::NotText {
        offset: skipped + error.valid_up_to(),
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Rejected> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
    match String::from_utf16(&units) {
        Ok(text) if rest.is_empty() => Ok(text),
        _ => Err(Rejected::NotText { offset: 2 }),
    }
}

/// Refuses a message with a line over the limit. The check visits only line ends, so it costs next to nothing, and
/// later code may scan back and forth within a line.
pub(super) fn check_lines(message: &str) -> Result<(), Rejected> {
    let bytes = message.as_bytes();
    let mut start = 0;
    while bytes.len() - start > LINE_LIMIT {
        match memrchr(b'\n', &bytes[start..=start + LINE_LIMIT]) {
            Some(length) => start += length + 1,
            None => {
                let line = 1 + memchr::memchr_iter(b'\n', &bytes[..start]).count();
                return Err(Rejected::LineTooLong { line });
            }
        }
    }
    Ok(())
}

/// One line, and its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Line number, counted from 1.
    pub(super) number: usize,
    /// Offset in the message.
    pub(super) start: usize,
    /// The line without its end and without the debris of pasting around it.
    pub(super) text: &'a str,
}

/// Walks through the lines of a message.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    pub(super) message: &'a str,
    pub(super) at: usize,
    number: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(message: &'a str) -> Self {
        Self {
            message,
            at: 0,
            number: 0,
        }
    }

    pub(super) fn next(&mut self) -> Option<Line<'a>> {
        let start = self.at;
        let rest = &self.message.as_bytes()[start..];
        if rest.is_empty() {
            return None;
        }
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        self.at = (start + length + 1).min(self.message.len());
        self.number += 1;
        let text = trim_fast(&self.message[start..start + length]);
        Some(Line {
            number: self.number,
            start,
            text,
        })
    }

    /// Returns the next line that contains a `[`, as tags do.
    pub(super) fn next_with_bracket(&mut self) -> Option<Line<'a>> {
        let rest = &self.message.as_bytes()[self.at..];
        let length = match memchr(b'[', rest) {
            Some(bracket) => memrchr(b'\n', &rest[..bracket]).map_or(0, |end| end + 1),
            None => rest.len(),
        };
        self.pass(length);
        self.next()
    }

    /// Skips whole lines, the last of which may lack a line end.
    fn pass(&mut self, length: usize) {
        let passed = &self.message.as_bytes()[self.at..self.at + length];
        let is_open = passed.last().is_some_and(|&last| last != b'\n');
        self.number += memchr::memchr_iter(b'\n', passed).count() + usize::from(is_open);
        self.at += length;
    }

    /// Returns the number of the last line read.
    pub(super) const fn number(&self) -> usize {
        self.number
    }

    /// Continues at `offset`, which begins a line.
    pub(super) fn jump(&mut self, offset: usize) {
        while self.at < offset {
            self.next();
        }
    }
}

/// Trims a line. Most lines begin with a character that begins nothing of interest; their ends do not matter then.
fn trim_fast(line: &str) -> &str {
    let first = line.bytes().find(|byte| !matches!(byte, b' ' | b'\t'));
    match first {
        Some(byte) if !BEGINNINGS[usize::from(byte)] => line,
        _ => trim(line),
    }
}

/// First characters of tags, marks, section lines and the like; other blanks and non-ASCII text
/// need a closer look.
const BEGINNINGS: [bool; 256] = {
    let mut table = [false; 256];
    let characters = b"[=(S-*+>#`_\\0123456789.):~|\"'<@d\r\n\x0b\x0c";
    let mut at = 0;
    while at < characters.len() {
        table[characters[at] as usize] = true;
        at += 1;
    }
    let mut byte = 128;
    while byte < 256 {
        table[byte] = true;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_with_brackets_are_those_of_all_lines_that_have_one() {
        for message in [
            "",
            "[",
            "a",
            "a\n",
            "\n\n[a\nb\n c [d] [e]\r\n\n[",
            "no\nend",
            "x\n[y]\nno end",
            "é[\né\n\u{200b}[z]\n",
        ] {
            let all = lines(message, Cursor::next);
            let with: Vec<_> = all.iter().filter(|(.., text)| text.contains('[')).collect();
            let found = lines(message, Cursor::next_with_bracket);
            assert_eq!(found.iter().collect::<Vec<_>>(), with, "{message:?}");
            let mut cursor = Cursor::new(message);
            while cursor.next_with_bracket().is_some() {}
            assert_eq!(cursor.number(), all.len(), "{message:?}");
            assert_eq!(cursor.at, message.len());
        }
    }

    fn lines<'a>(
        message: &'a str,
        next: impl Fn(&mut Cursor<'a>) -> Option<Line<'a>>,
    ) -> Vec<(usize, usize, &'a str)> {
        let mut cursor = Cursor::new(message);
        core::iter::from_fn(|| next(&mut cursor))
            .map(|line| (line.number, line.start, line.text))
            .collect()
    }
}
