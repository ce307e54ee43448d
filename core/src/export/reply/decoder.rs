//! Finds the beginning and the end of an export's body.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr_iter, memmem};

use crate::export::reply::header::{Framing, Header};
use crate::export::reply::line::Opening;

/// A piece of the stream. It borrows from the input or from the decoder; nothing of a body is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A line before the header, without its line end, or a part of a line longer than [`Decoder::LONGEST_LINE`].
    Noise(&'a [u8]),
    /// The header: the body follows.
    Header(Header),
    /// The next bytes of the body; never empty.
    Body(&'a [u8]),
    /// The body is complete. The rest of the input is not part of it and stays unread.
    End,
    /// `LINES=` was announced, but no `END` follows after that number of lines. The stream stays unread from here.
    NoEnd,
    /// An invalid header, such as `SIZE=-5`. A caller that continues to read treats it as noise.
    BadHeader(&'a [u8]),
    /// The device refused with this line. A caller that continues to read treats it as noise.
    Error(String),
}

/// Finds the body in the output of a device.
///
/// Any bytes, split anywhere, give the same pieces, except that a body may arrive in more of them. The decoder stores
/// one line before the header and nothing after it: memory does not depend on the device's announcements.
///
/// The decoder handles framing only, neither time nor the validity of a body; [`Collector`](crate::export::Collector) does.
///
/// ```
/// use flylead_core::export::{Decoder, Piece};
///
/// let mut input: &[u8] = b"Received: EXPORT run_id=a\r\nSIZE=8\r\nt,v\n0,1\n\r\nOK\r\n";
/// let mut decoder = Decoder::default();
/// let mut body = Vec::new();
/// while let Some(piece) = decoder.next(&mut input) {
///     if let Piece::Body(bytes) = piece {
///         body.extend_from_slice(bytes);
///     }
/// }
/// assert_eq!(body, b"t,v\n0,1\n");
/// assert_eq!(input, b"\r\nOK\r\n");
/// ```
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
    /// Part of the line before the header; delivered text is cleared on the next call.
    line: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// Looking for the header. `drained` is true once the content of the line has been delivered, `cut` if that was
    /// only a part of it, whose rest must not be taken for a separate line.
    Opening { drained: bool, cut: bool },
    /// In a sized body with `left` bytes to come.
    Sized { left: u64 },
    /// In a marked body, in the middle of a row.
    Row,
    /// In a marked body, at the start of a row of which this many bytes match [`END_LINE`].
    RowStart { matched: usize },
    /// In a marked body with this many lines to come.
    Counted { left: u64 },
    /// After the last counted line, where this many bytes match [`END_LINE`].
    LastLine { matched: usize },
    /// At the end; nothing more is read.
    Done,
}

impl Decoder {
    /// Length limit of a line before a header that is examined as a whole, in bytes.
    pub const LONGEST_LINE: usize = 4096;

    /// Returns the next piece, and removes its bytes from `input`; `None` if more input is needed, or nothing more is
    /// read.
    pub fn next<'piece, 'input: 'piece>(
        &'piece mut self,
        input: &mut &'input [u8],
    ) -> Option<Piece<'piece>> {
        match self.state {
            State::Opening { drained, cut } => self.opening(drained, cut, input),
            State::Sized { left } => self.sized(left, input),
            State::Row => self.row(input),
            State::RowStart { matched } => self.row_start(matched, input),
            State::Counted { left } => self.counted(left, input),
            State::LastLine { matched } => self.last_line(matched, input),
            State::Done => None,
        }
    }

    /// Returns true once the header has been read.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        !matches!(self.state, State::Opening { .. })
    }

    /// Returns the unfinished line before the header: a prompt, a truncated message.
    #[must_use]
    pub fn unfinished_line(&self) -> &[u8] {
        match &self.state {
            State::Opening { drained: false, .. } => &self.line,
            State::Opening { drained: true, .. }
            | State::Sized { .. }
            | State::Row
            | State::RowStart { .. }
            | State::Counted { .. }
            | State::LastLine { .. }
            | State::Done => &[],
        }
    }

    fn opening(&mut self, drained: bool, cut: bool, input: &mut &[u8]) -> Option<Piece<'_>> {
        if drained {
            self.line.clear();
        }
        let room = Self::LONGEST_LINE - self.line.len();
        let length = memchr(b'\n', input).unwrap_or(input.len()).min(room);
        self.line.extend_from_slice(take(input, length));
        if input.first() == Some(&b'\n') {
            take(input, 1);
            return Some(self.opening_line(cut));
        }
        let is_full = self.line.len() == Self::LONGEST_LINE;
        self.state = State::Opening {
            drained: is_full,
            cut: cut || is_full,
        };
        is_full.then_some(Piece::Noise(&self.line))
    }

    fn opening_line(&mut self, cut: bool) -> Piece<'_> {
        let opening = if cut {
            Opening::Noise
        } else {
            Opening::read(&self.line)
        };
        self.state = State::after(&opening);
        match opening {
            Opening::Header(header) => {
                self.line = Vec::new();
                Piece::Header(header)
            }
            Opening::Error(text) => Piece::Error(text),
            Opening::BadHeader => Piece::BadHeader(&self.line),
            Opening::Noise => Piece::Noise(&self.line),
        }
    }

    fn sized<'a>(&mut self, left: u64, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        if left == 0 {
            return Some(self.end());
        }
        let length = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        self.state = State::Sized {
            left: left - length as u64,
        };
        body(take(input, length))
    }

    /// Advances to the end of the last row that cannot be `END`, or to a possible beginning of `END`.
    fn row<'a>(&mut self, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        let found = memmem::find(input, b"\nEND").map(|newline| newline + 1);
        let matched = found.map_or_else(|| cut_end(input), |_| Some(0));
        self.state = matched.map_or(State::Row, |matched| State::RowStart { matched });
        let length = found.unwrap_or(input.len() - matched.unwrap_or(0));
        let rows = take(input, length);
        take(input, found.map_or(input.len(), |_| 0));
        body(rows)
    }

    fn row_start<'a>(&mut self, matched: usize, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        match end_line(matched, input) {
            EndLine::Whole => Some(self.end()),
            EndLine::Part { matched } => {
                self.state = State::RowStart { matched };
                None
            }
            EndLine::Other { matched } => {
                self.state = State::Row;
                // The matching bytes are constant, so they were not stored.
                body(&END_LINE[..matched]).or_else(|| self.row(input))
            }
        }
    }

    fn counted<'a>(&mut self, left: u64, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        if left == 0 {
            return self.last_line(0, input);
        }
        let nth = usize::try_from(left - 1).unwrap_or(usize::MAX);
        let mut seen = 0;
        let last = memchr_iter(b'\n', input).inspect(|_| seen += 1).nth(nth);
        let length = last.map_or(input.len(), |newline| newline + 1);
        self.state = State::Counted { left: left - seen };
        body(take(input, length))
    }

    fn last_line<'a>(&mut self, matched: usize, input: &mut &'a [u8]) -> Option<Piece<'a>> {
        match end_line(matched, input) {
            EndLine::Whole => Some(self.end()),
            EndLine::Part { matched } => {
                self.state = State::LastLine { matched };
                None
            }
            EndLine::Other { .. } => {
                self.state = State::Done;
                Some(Piece::NoEnd)
            }
        }
    }

    fn end(&mut self) -> Piece<'static> {
        self.state = State::Done;
        Piece::End
    }
}

impl State {
    fn after(opening: &Opening) -> Self {
        match opening {
            Opening::Noise | Opening::BadHeader | Opening::Error(_) => Self::Opening {
                drained: true,
                cut: false,
            },
            Opening::Header(header) => match header.framing {
                Framing::Sized { size } => Self::Sized { left: size },
                Framing::Marked { lines: None } => Self::RowStart { matched: 0 },
                Framing::Marked { lines: Some(left) } => Self::Counted { left },
            },
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::Opening {
            drained: false,
            cut: false,
        }
    }
}

enum EndLine {
    Whole,
    Part { matched: usize },
    Other { matched: usize },
}

/// Continues to compare with `END\n` or `END\r\n`, and removes matching bytes from the input.
fn end_line(mut matched: usize, input: &mut &[u8]) -> EndLine {
    while let Some(byte) = input.first() {
        if *byte == b'\n' && matched >= END.len() {
            take(input, 1);
            return EndLine::Whole;
        }
        if END_LINE.get(matched) != Some(byte) {
            return EndLine::Other { matched };
        }
        take(input, 1);
        matched += 1;
    }
    EndLine::Part { matched }
}

/// Returns the number of bytes at the end of these rows that could begin `END`; `None` if they end in the middle of a
/// row.
fn cut_end(rows: &[u8]) -> Option<usize> {
    (0..END.len()).find(|&length| {
        rows.strip_suffix(&END[..length])
            .is_some_and(|before| before.ends_with(b"\n"))
    })
}

fn body(bytes: &[u8]) -> Option<Piece<'_>> {
    (!bytes.is_empty()).then_some(Piece::Body(bytes))
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = input.split_at(length);
    *input = rest;
    taken
}

const END: &[u8] = b"END";
/// Everything that may precede the newline in the end line.
const END_LINE: &[u8] = b"END\r";

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{format, string::ToString, vec};

    /// Returns everything found, bodies joined, and the unread rest.
    fn decode(stream: &[u8], chunk: usize) -> (Vec<String>, Vec<u8>) {
        let mut decoder = Decoder::default();
        let mut found: Vec<String> = Vec::new();
        let mut body = Vec::new();
        let mut unread = Vec::new();
        for bytes in stream.chunks(chunk) {
            let mut input = bytes;
            while let Some(piece) = decoder.next(&mut input) {
                match piece {
                    Piece::Body(bytes) => body.extend_from_slice(bytes),
                    Piece::Noise(line) => {
                        found.push(format!("noise {}", String::from_utf8_lossy(line)));
                    }
                    other => found.push(format!("{other:?}")),
                }
            }
            unread.extend_from_slice(input);
        }
        found.push(String::from_utf8_lossy(&body).into_owned());
        (found, unread)
    }

    /// Returns the body and the rest, and asserts that the pieces do not depend on the split of the stream.
    fn body_and_rest(stream: &[u8]) -> (String, Vec<u8>) {
        let whole = decode(stream, stream.len());
        for chunk in 1..9 {
            assert_eq!(decode(stream, chunk), whole, "cut into {chunk} bytes");
        }
        let (mut found, rest) = whole;
        assert!(found.contains(&"End".to_string()), "{found:?}");
        (found.pop().unwrap_or_default(), rest)
    }

    #[test]
    fn a_sized_body_is_exactly_its_bytes_whatever_they_are() {
        let (body, rest) = body_and_rest(b"SIZE=10\nEND\nBEGIN\n\r\nOK\n");
        assert_eq!(body, "END\nBEGIN\n");
        assert_eq!(rest, b"\r\nOK\n");
        assert_eq!(body_and_rest(b"SIZE=0\n").0, "");
    }

    #[test]
    fn a_marked_body_ends_at_the_first_line_that_is_exactly_end() {
        let cases: [(&[u8], &str); 9] = [
            (b"BEGIN\nEND\n", ""),
            (b"BEGIN\na,1\nEND\n", "a,1\n"),
            (b"BEGIN\r\na,1\r\nEND\r\n", "a,1\r\n"),
            (b"BEGIN\nENDING\nEND\n", "ENDING\n"),
            (b"BEGIN\nEND,1\n END\nEND\n", "END,1\n END\n"),
            (b"BEGIN\nEN\nE\n\nEND\n", "EN\nE\n\n"),
            (b"BEGIN\nEND\r1\nEND\n", "END\r1\n"),
            (b"BEGIN\nEND\r\r\nEND\n", "END\r\r\n"),
            (b"BEGIN\nEEND\nEND\n", "EEND\n"),
        ];
        for (stream, body) in cases {
            assert_eq!(body_and_rest(stream).0, body);
        }
    }

    #[test]
    fn f11_with_a_line_count_a_row_that_is_end_is_data() {
        let (body, rest) = body_and_rest(b"BEGIN LINES=3\na\nEND\nb\nEND\nOK\n");
        assert_eq!(body, "a\nEND\nb\n");
        assert_eq!(rest, b"OK\n");
        assert_eq!(body_and_rest(b"BEGIN LINES=0\nEND\n").0, "");
    }

    #[test]
    fn f11_a_line_count_without_its_end_is_reported() {
        for chunk in 1..20 {
            let (found, _) = decode(b"BEGIN LINES=1\na\nb\nEND\n", chunk);
            assert_eq!(found[1..], vec!["NoEnd".to_string(), "a\n".to_string()]);
        }
    }

    #[test]
    fn f10_bytes_of_a_marked_body_that_are_no_text_stay_as_they_are() {
        let mut input: &[u8] = b"BEGIN\n\xff\xfe\n";
        let mut decoder = Decoder::default();
        decoder.next(&mut input);
        assert_eq!(decoder.next(&mut input), Some(Piece::Body(b"\xff\xfe\n")));
    }

    #[test]
    fn noise_without_a_line_end_is_handed_out_in_parts_and_never_kept() {
        let noise = vec![b'x'; 3 * Decoder::LONGEST_LINE + 5];
        let mut input = &noise[..];
        let mut decoder = Decoder::default();
        let mut seen = 0;
        while let Some(Piece::Noise(part)) = decoder.next(&mut input) {
            seen += part.len();
        }
        assert_eq!(
            (seen, decoder.unfinished_line().len()),
            (3 * Decoder::LONGEST_LINE, 5)
        );
    }

    #[test]
    fn f1_the_end_of_an_overlong_line_does_not_pass_for_a_header() {
        let mut stream = vec![b'x'; Decoder::LONGEST_LINE];
        stream.extend_from_slice(b"SIZE=3\nSIZE=2\nab");
        let (found, _) = decode(&stream, 1000);
        assert_eq!(found.last().map(String::as_str), Some("ab"));
    }

    #[test]
    fn f3_a_caller_may_stop_at_a_bad_header_or_an_error_or_read_on() {
        for line in ["SIZE=-5\n", "ERROR: no card\n"] {
            let stream = [line, "SIZE=3\nabc"].concat();
            let mut input = stream.as_bytes();
            let mut decoder = Decoder::default();
            let piece = decoder.next(&mut input);
            assert!(matches!(piece, Some(Piece::BadHeader(_) | Piece::Error(_))));
            assert_eq!(input, b"SIZE=3\nabc");
            let (_, body) = (decoder.next(&mut input), input);
            assert_eq!(body, b"abc");
        }
    }
}
