//! Parses the answers of small programs.
//!
//! Each line ends in its checksum, and the last one gives the number of lines before it. Other output in between, from
//! a timer or another thread of the board, is ignored; a line damaged by such output or by the link counts as missing.

use alloc::{string::String, vec::Vec};

use super::checked::weak_sum;
use crate::{
    board::{Answer, Entry, EntryKind, Space},
    lines::Lines,
    literal,
};

/// Seconds between 1970 and 2000, the two years from which MicroPython's ports count.
const SECONDS_1970_TO_2000: i64 = 946_684_800;

/// Size limit of a line, in bytes: a path in hexadecimal is its longest part.
const LINE_LIMIT: usize = 16 * 1024;

/// Lines of an answer whose checksum is right. All other output is dropped as it arrives.
#[derive(Debug)]
pub(super) struct WholeLines {
    lines: Lines,
    kept: Vec<u8>,
    limit: usize,
}

impl WholeLines {
    /// Creates an answer that keeps at most `limit` bytes.
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            lines: Lines::new(LINE_LIMIT),
            kept: Vec::new(),
            limit,
        }
    }

    /// Takes output of the board.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
        while let Some(line) = self.lines.next() {
            if let Ok(line) = line {
                self.keep(&line);
            }
        }
    }

    /// Takes out the lines, for the functions that parse them.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let rest = self.lines.take_rest();
        self.keep(&rest);
        core::mem::take(&mut self.kept)
    }

    fn keep(&mut self, line: &[u8]) {
        let has_room = self.kept.len() + line.len() < self.limit;
        if has_room && whole_line(line).is_some() {
            self.kept.extend_from_slice(line);
            self.kept.push(b'\n');
        }
    }
}

/// Returns the lines that the program printed; `None` if one is missing.
fn said(output: &[u8]) -> Option<Vec<&str>> {
    let mut lines = output
        .split(|&byte| byte == b'\n')
        .filter_map(whole_line)
        .collect::<Vec<_>>();
    let count = lines.pop()?.strip_prefix("end ")?.parse::<usize>().ok()?;
    (count == lines.len()).then_some(lines)
}

/// Returns a line without its checksum, if the checksum is right.
fn whole_line(line: &[u8]) -> Option<&str> {
    let (text, sum) = core::str::from_utf8(line).ok()?.trim().rsplit_once(' ')?;
    (weak_sum(text.as_bytes()) == sum.parse::<u32>().ok()?).then_some(text)
}

pub(super) fn parse_done(_output: &[u8]) -> Option<Answer> {
    Some(Answer::Done)
}

/// Parses `epoch YEAR`, then a line for each entry: kind, size, time, hash, name in hexadecimal.
pub(super) fn parse_entries(output: &[u8]) -> Option<Answer> {
    Some(Answer::Entries(entries(output)?))
}

fn entries(output: &[u8]) -> Option<Vec<Entry>> {
    let mut lines = said(output)?.into_iter();
    let epoch = lines.next()?.strip_prefix("epoch ")?.parse::<u32>().ok()?;
    let mut entries = lines
        .map(|line| read_entry(line, epoch))
        .collect::<Option<Vec<_>>>()?;
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Some(entries)
}

fn read_entry(line: &str, epoch: u32) -> Option<Entry> {
    let mut words = line.split(' ');
    let kind = match words.next()? {
        "d" => EntryKind::Directory,
        "f" => EntryKind::File,
        _ => return None,
    };
    let size = words.next()?.parse().ok()?;
    let seconds = words.next()?.parse::<i64>().ok()?;
    let sha256 = match words.next()? {
        "-" => None,
        hash => Some(literal::parse_hex(hash.as_bytes())?.try_into().ok()?),
    };
    let name = String::from_utf8(literal::parse_hex(words.next()?.as_bytes())?).ok()?;
    Some(Entry {
        name,
        kind,
        size,
        modified: since_1970(seconds, epoch),
        sha256,
    })
}

/// Converts a board's time, which counts from the year `epoch`, to Unix time; `None` if the board has no clock or the
/// clock was not set.
pub(super) fn since_1970(seconds: i64, epoch: u32) -> Option<i64> {
    let is_known = seconds > 0 && epoch > 0;
    is_known.then_some(match epoch {
        2000 => seconds.saturating_add(SECONDS_1970_TO_2000),
        _ => seconds,
    })
}

pub(super) fn parse_entry(output: &[u8]) -> Option<Answer> {
    Some(Answer::Entry(entries(output)?.into_iter().next()?))
}

pub(super) fn parse_space(output: &[u8]) -> Option<Answer> {
    let (total, free) = said(output)?.first()?.split_once(' ')?;
    Some(Answer::Space(Space {
        total: total.parse().ok()?,
        free: free.parse().ok()?,
    }))
}

pub(super) fn parse_hash(output: &[u8]) -> Option<Answer> {
    let hash = literal::parse_hex(said(output)?.first()?.as_bytes())?;
    Some(Answer::Hash(hash.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn say(lines: &[&str]) -> String {
        let end = format!("end {}", lines.len());
        let sum = |line: &str| format!("{line} {}\r\n", weak_sum(line.as_bytes()));
        lines.iter().copied().chain([&*end]).map(sum).collect()
    }

    #[test]
    fn what_a_timer_prints_between_the_lines_is_passed_over() {
        let text = say(&["1000 10"]);
        let babble = format!("tick 1\r\n{text}tick 2\r\n");
        let space = Some(Answer::Space(Space {
            total: 1000,
            free: 10,
        }));
        assert_eq!(parse_space(text.as_bytes()), space);
        assert_eq!(parse_space(babble.as_bytes()), space);
    }

    #[test]
    fn output_of_others_is_dropped_as_it_arrives() {
        let text = say(&["1000 10"]);
        for size in [1, 7, 1000] {
            let mut lines = WholeLines::new(100);
            for piece in format!("tick\r\n{text}tick 2").as_bytes().chunks(size) {
                lines.push(piece);
            }
            let kept = lines.take();
            assert_eq!(String::from_utf8(kept).unwrap(), text.replace("\r\n", "\n"));
        }
        let mut lines = WholeLines::new(text.len());
        (0..9).for_each(|_| lines.push(text.as_bytes()));
        assert!(lines.take().len() <= text.len());
    }

    #[test]
    fn a_line_that_is_spoiled_or_lost_is_missed() {
        let text = say(&["epoch 1970", "f 12 0 - 6162", "f 3 0 - 63"]);
        assert!(parse_entries(text.as_bytes()).is_some());
        for (from, to) in [
            ("f 12", "f 13"),
            ("6162", "61tick\r\n62"),
            ("f 3 0 - 63", "f 3 0 - 6"),
            ("end 3", "end 2"),
            ("epoch", "epoc"),
        ] {
            let spoiled = text.replacen(from, to, 1);
            assert_eq!(parse_entries(spoiled.as_bytes()), None, "{from} to {to}");
        }
        let lines = text.lines().filter(|line| !line.starts_with("f 3"));
        let lost = lines.collect::<Vec<_>>().join("\n");
        assert_eq!(parse_entries(lost.as_bytes()), None);
    }
}
