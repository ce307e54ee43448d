//! Replaces a range of lines, and nothing else.

use alloc::{string::String, vec::Vec};
use core::fmt;

use memchr::{memchr, memchr_iter};

use crate::agent::{command::LineRange, settings::Eol};

/// Replaces `range` of `file` by `replacement`, whose lines end in `\n`. Bytes outside the range stay unchanged: line
/// ends, byte order mark, a missing final newline, bytes that are not text.
///
/// New lines get the line end that most lines of the file have. A last line without a line end stays without one.
///
/// ```
/// use flylead_core::agent::{edit, LineRange};
///
/// let file = edit::apply(b"one\r\ntwo\r\nthree", LineRange { first: 2, last: 2 }, "2\n", None);
/// assert_eq!(file.unwrap(), b"one\r\n2\r\nthree");
/// ```
///
/// # Errors
/// The range is outside the file, the file is not text, or the first line of the range is not the expected one.
pub fn apply(
    file: &[u8],
    range: LineRange,
    replacement: &str,
    expect: Option<&str>,
) -> Result<Vec<u8>, EditError> {
    refuse_binary(file)?;
    let eol = Eol::of(file);
    let lines = Lines::of(file, eol);
    let (start, end) = lines.span(range).ok_or(EditError::InvalidRange {
        lines: lines.count(),
    })?;
    check_expected(file, lines.first_of(range), expect)?;
    let mut edited = Vec::with_capacity(file.len() - (end - start) + replacement.len());
    edited.extend_from_slice(&file[..start]);
    push_lines(&mut edited, replacement, eol);
    if end == file.len() && !replacement.is_empty() && !lines.last_is_ended() {
        edited.truncate(edited.len() - eol.bytes().len());
    }
    edited.extend_from_slice(&file[end..]);
    Ok(edited)
}

/// Reason why an edit changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The range begins before line 1, ends before it begins, or passes the end of the file.
    InvalidRange {
        /// Number of lines in the file.
        lines: usize,
    },
    /// The file has a NUL byte in its first 8 KiB.
    Binary,
    /// The first line of the range is not the expected one.
    Unexpected {
        /// Line that was found, shortened.
        found: String,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidRange { lines } => write!(
                f,
                "the file has {lines} lines; read it again before editing"
            ),
            Self::Binary => f.write_str("the file is binary"),
            Self::Unexpected { found } => write!(
                f,
                "the first line of the range is '{found}'; read the file again before editing"
            ),
        }
    }
}

impl core::error::Error for EditError {}

/// Counts the lines of a file as edits do. A last line without an end counts.
#[must_use]
pub fn count_lines(file: &[u8]) -> usize {
    Lines::of(file, Eol::of(file)).count()
}

/// Returns true for a binary file: one with a NUL byte in its first 8 KiB.
#[must_use]
pub fn is_binary(file: &[u8]) -> bool {
    memchr(0, &file[..file.len().min(BINARY_SEARCH)]).is_some()
}

/// Returns the lines `range` of a file, with their line ends, without a byte order mark; `None` if some of them do not
/// exist.
#[must_use]
pub fn slice(file: &[u8], range: LineRange) -> Option<&[u8]> {
    let (start, end) = Lines::of(file, Eol::of(file)).span(range)?;
    Some(&file[start..end])
}

/// Translates line numbers of a file's original version to line numbers after earlier edits of the message.
///
/// The CodingAgent protocol v1.0 numbers lines in the file as it is at each command ("Parsing Rules", rule 6). An agent
/// that is told to number lines in the file as it was shown uses this type first.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    done: Vec<(LineRange, usize)>,
}

impl Snapshot {
    /// Translates `range` of the snapshot to current line numbers; `None` if an earlier edit replaced part of it.
    #[must_use]
    pub fn translate(&self, range: LineRange) -> Option<LineRange> {
        let mut moved = 0i64;
        for (earlier, now) in &self.done {
            if earlier.last < range.first {
                moved += i64::try_from(*now).ok()?
                    - (i64::from(earlier.last) - i64::from(earlier.first) + 1);
            } else if earlier.first <= range.last {
                return None;
            }
        }
        let shift = |line: u32| u32::try_from(i64::from(line) + moved).ok();
        Some(LineRange {
            first: shift(range.first)?,
            last: shift(range.last)?,
        })
    }

    /// Records that `range` of the snapshot now has `lines` lines.
    pub fn edited(&mut self, range: LineRange, lines: usize) {
        self.done.push((range, lines));
    }
}

/// Offsets of a file's lines. The byte order mark belongs to no line.
struct Lines {
    starts: Vec<usize>,
    end: usize,
    last_is_ended: bool,
}

impl Lines {
    fn of(file: &[u8], eol: Eol) -> Self {
        let first = if file.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        };
        let end_byte = if eol == Eol::Cr { b'\r' } else { b'\n' };
        let mut starts = Vec::from([first]);
        starts.extend(memchr_iter(end_byte, file).map(|at| at + 1));
        let last_is_ended = starts.last() == Some(&file.len());
        if last_is_ended {
            starts.pop();
        }
        Self {
            starts,
            end: file.len(),
            last_is_ended,
        }
    }

    const fn count(&self) -> usize {
        self.starts.len()
    }

    const fn last_is_ended(&self) -> bool {
        self.last_is_ended
    }

    fn first_of(&self, range: LineRange) -> (usize, usize) {
        let at = range.first as usize - 1;
        (
            self.starts[at],
            self.starts.get(at + 1).copied().unwrap_or(self.end),
        )
    }

    fn span(&self, range: LineRange) -> Option<(usize, usize)> {
        let (first, last) = (range.first as usize, range.last as usize);
        if first == 0 || last < first || last > self.count() {
            return None;
        }
        Some((
            self.starts[first - 1],
            self.starts.get(last).copied().unwrap_or(self.end),
        ))
    }
}

fn refuse_binary(file: &[u8]) -> Result<(), EditError> {
    if is_binary(file) {
        return Err(EditError::Binary);
    }
    Ok(())
}

fn check_expected(
    file: &[u8],
    (start, end): (usize, usize),
    expect: Option<&str>,
) -> Result<(), EditError> {
    let Some(expect) = expect else { return Ok(()) };
    let line = String::from_utf8_lossy(&file[start..end]);
    if line.trim() == expect.trim() {
        return Ok(());
    }
    Err(EditError::Unexpected {
        found: line.trim().chars().take(80).collect(),
    })
}

fn push_lines(edited: &mut Vec<u8>, replacement: &str, eol: Eol) {
    if eol == Eol::Lf && (replacement.is_empty() || replacement.ends_with('\n')) {
        edited.extend_from_slice(replacement.as_bytes());
        return;
    }
    for line in replacement.split_terminator('\n') {
        edited.extend_from_slice(line.as_bytes());
        edited.extend_from_slice(eol.bytes());
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const BINARY_SEARCH: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(file: &str, first: u32, last: u32, replacement: &str) -> Result<String, EditError> {
        apply(
            file.as_bytes(),
            LineRange { first, last },
            replacement,
            None,
        )
        .map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_range_is_replaced_by_more_or_fewer_lines() {
        assert_eq!(edit("a\nb\nc\n", 2, 2, "x\ny\n").unwrap(), "a\nx\ny\nc\n");
        assert_eq!(edit("a\nb\nc\n", 1, 3, "x\n").unwrap(), "x\n");
    }

    #[test]
    fn an_empty_replacement_deletes_the_range_and_an_empty_line_is_a_line() {
        assert_eq!(edit("a\nb\nc\n", 2, 3, "").unwrap(), "a\n");
        assert_eq!(edit("a\nb\nc\n", 2, 3, "\n").unwrap(), "a\n\n");
    }

    #[test]
    fn a_range_outside_the_file_is_refused_and_never_clamped() {
        for (first, last) in [(0, 1), (2, 1), (3, 3), (1, 3), (u32::MAX, u32::MAX)] {
            assert_eq!(
                edit("a\nb\n", first, last, "x\n"),
                Err(EditError::InvalidRange { lines: 2 })
            );
        }
        assert_eq!(
            edit("", 1, 1, "x\n"),
            Err(EditError::InvalidRange { lines: 0 })
        );
    }

    #[test]
    fn line_ends_byte_order_mark_and_a_missing_newline_stay() {
        assert_eq!(
            edit("a\r\nb\r\nc", 3, 3, "x\ny\n").unwrap(),
            "a\r\nb\r\nx\r\ny"
        );
        assert_eq!(
            edit("\u{feff}a\nb\n", 1, 1, "x\n").unwrap(),
            "\u{feff}x\nb\n"
        );
        assert_eq!(edit("a\nb\r\nc\n", 1, 1, "x\n").unwrap(), "x\nb\r\nc\n");
        assert_eq!(edit("a\rb\rc\r", 2, 2, "x\n").unwrap(), "a\rx\rc\r");
        assert_eq!(edit("a\nb", 2, 2, "").unwrap(), "a\n");
    }

    #[test]
    fn bytes_that_are_no_text_stay_and_binary_files_are_refused() {
        let latin = apply(
            b"\xe9\n\xff\n",
            LineRange { first: 1, last: 1 },
            "e\n",
            None,
        );
        assert_eq!(latin.unwrap(), b"e\n\xff\n");
        let binary = apply(b"a\0b\n", LineRange { first: 1, last: 1 }, "x\n", None);
        assert_eq!(binary, Err(EditError::Binary));
    }

    #[test]
    fn a_stale_view_is_noticed_when_the_first_line_is_told() {
        let range = LineRange { first: 2, last: 2 };
        assert!(apply(b"a\n  b()\n", range, "x\n", Some("b()")).is_ok());
        let found = apply(b"a\n  b()\n", range, "x\n", Some("c()"));
        assert_eq!(
            found,
            Err(EditError::Unexpected {
                found: "b()".into()
            })
        );
    }

    #[test]
    fn numbers_of_a_snapshot_follow_the_edits_above_them() {
        let mut snapshot = Snapshot::default();
        snapshot.edited(LineRange { first: 2, last: 3 }, 5);
        assert_eq!(
            snapshot.translate(LineRange {
                first: 10,
                last: 12
            }),
            Some(LineRange {
                first: 13,
                last: 15
            })
        );
        assert_eq!(
            snapshot.translate(LineRange { first: 1, last: 1 }),
            Some(LineRange { first: 1, last: 1 })
        );
        assert_eq!(snapshot.translate(LineRange { first: 3, last: 4 }), None);
    }
}
