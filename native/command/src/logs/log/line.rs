//! Lines of a stream, each with the time of its first byte.

use std::mem;

use chrono::{DateTime, Local};

use super::{Kind, Record};

/// Collector of lines. The text is the same, however its bytes are split.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    began: Option<DateTime<Local>>,
}

impl Lines {
    /// Takes bytes, and returns the lines that end with them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Record> {
        let now = Local::now();
        let mut records = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in piece.chunks(LONGEST_LINE) {
                if self.line.len() + piece.len() > LONGEST_LINE {
                    records.extend(self.end());
                }
                self.began.get_or_insert(now);
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                records.extend(self.end());
            }
        }
        records
    }

    /// Returns the unfinished line, if there is one.
    pub(super) fn end(&mut self) -> Option<Record> {
        let time = self.began.take()?;
        let line = mem::take(&mut self.line);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = String::from_utf8_lossy(line).into_owned();
        let kind = Kind::Line;
        Some(Record { time, kind, text })
    }
}

/// Limit of a line, in bytes; a longer line is split.
const LONGEST_LINE: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_give_the_same_lines() {
        let said = "21.5\r\n\r\n22 °C\nlast".as_bytes();
        for size in [1, 2, 7, 100] {
            let mut lines = Lines::default();
            let mut texts = Vec::new();
            for piece in said.chunks(size) {
                texts.extend(lines.take(piece).into_iter().map(|it| it.text));
            }
            texts.extend(lines.end().map(|it| it.text));
            assert_eq!(texts, ["21.5", "", "22 °C", "last"], "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let mut lines = Lines::default();
        let records = lines.take(&vec![b'x'; 2 * LONGEST_LINE + 1]);
        let lengths: Vec<_> = records.iter().map(|it| it.text.len()).collect();
        assert_eq!(lengths, [LONGEST_LINE; 2]);
        assert_eq!(lines.end().unwrap().text, "x");
    }
}
