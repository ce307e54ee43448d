//! Conversations as text, as recorded by a driver with `--trace` and replayed by tests.
//!
//! ```text
//! # a program that prints                     why
//! $ exec print(1)                             the application's command
//! > print(1)\x04                              sent to the peer
//! @ 12                                        milliseconds that pass
//! < OK1\r\n\x04\x04>                          received from the peer
//! ! Finished Completed                        an event for the application
//! X                                           the peer is gone
//! ```
//!
//! Each line is one record: a mark, a space, the rest. Printable ASCII stands for itself and everything else is
//! escaped, so a line represents its bytes exactly, whatever an editor or a mail program does to it. Empty lines are
//! ignored.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};
use core::{
    fmt::{self, Write},
    time::Duration,
};

use crate::Instant;

/// One line of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// `<` The peer sent these bytes.
    Received(Vec<u8>),
    /// `>` These bytes went to the peer.
    Sent(Vec<u8>),
    /// `!` This event was reported to the application.
    Event(String),
    /// `$` The application gave this command.
    Command(String),
    /// `@` This much time passed; whole milliseconds are recorded.
    Elapsed(Duration),
    /// `X` The peer is gone.
    Closed,
    /// `#` A comment without effect.
    Comment(String),
}

/// Writes records as they happen, with `@` lines between records at different times.
///
/// ```
/// use flylead_core::{Instant, trace::{Record, Writer}};
///
/// let mut writer = Writer::new(Instant::START);
/// let line = writer.line(Instant::from_millis(5), &Record::Sent(b"\x01".to_vec()));
/// assert_eq!(line, "@ 5\n> \\x01\n");
/// ```
#[derive(Debug)]
pub struct Writer {
    written: Instant,
}

/// Error: a line violates the notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Fault of the line.
    pub fault: Fault,
}

/// Fault of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The line does not begin with one of `< > ! $ @ X #`.
    UnknownMark,
    /// `@` is not followed by a whole number of milliseconds.
    NotMilliseconds,
    /// A `\` is not followed by `n`, `r`, `t`, `\` or `x` and two hexadecimal digits.
    BadEscape,
    /// The bytes contain a character beyond ASCII, which must be escaped.
    NotAscii,
}

impl Writer {
    /// Creates a writer for a conversation that begins at `start`.
    #[must_use]
    pub const fn new(start: Instant) -> Self {
        Self { written: start }
    }

    /// Returns the line for a record at `now`, preceded by the time since the last one.
    #[must_use]
    pub fn line(&mut self, now: Instant, record: &Record) -> String {
        let elapsed = whole_millis(now - self.written);
        let mut line = String::new();
        if !elapsed.is_zero() {
            self.written += elapsed;
            line = render(&Record::Elapsed(elapsed));
        }
        line + &render(record)
    }
}

/// Formats a record as a line, including the line end.
#[must_use]
pub fn render(record: &Record) -> String {
    record.to_string() + "\n"
}

/// Reads a whole conversation; each record comes with the number of its line, from 1.
pub fn parse(text: &str) -> Result<Vec<(usize, Record)>, ParseError> {
    text.lines()
        .zip(1..)
        .filter(|(line, _)| !line.is_empty())
        .map(|(line, number)| parse_line(line, number))
        .collect()
}

/// Formats bytes as printable ASCII: line ends, tabs and `\` as in Rust, all other bytes that are not printable as
/// `\x1f`.
///
/// A space at either end is escaped too, because an editor would trim it.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let last = bytes.len().saturating_sub(1);
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b' ' if at == 0 || at == last => text.push_str("\\x20"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => push_hex(&mut text, byte),
        }
    }
    text
}

/// Returns the bytes that [`escape`] wrote.
pub fn unescape(text: &str) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match first {
            b'\\' => unescape_one(after)?,
            0x80.. => return Err(Fault::NotAscii),
            plain => (plain, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Ok(bytes)
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Received(bytes) => marked(f, '<', &escape(bytes)),
            Self::Sent(bytes) => marked(f, '>', &escape(bytes)),
            Self::Event(text) => marked(f, '!', &one_line(text)),
            Self::Command(text) => marked(f, '$', &one_line(text)),
            Self::Elapsed(time) => marked(f, '@', &time.as_millis().to_string()),
            Self::Closed => f.write_char('X'),
            Self::Comment(text) => marked(f, '#', &one_line(text)),
        }
    }
}

fn marked(f: &mut fmt::Formatter<'_>, mark: char, text: &str) -> fmt::Result {
    f.write_char(mark)?;
    if text.is_empty() {
        return Ok(());
    }
    write!(f, " {text}")
}

/// Reduces text to one line; the text is for people, so this need not be reversible.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

fn parse_line(line: &str, number: usize) -> Result<(usize, Record), ParseError> {
    match parse_record(line) {
        Ok(record) => Ok((number, record)),
        Err(fault) => Err(ParseError {
            line: number,
            fault,
        }),
    }
}

fn parse_record(line: &str) -> Result<Record, Fault> {
    let (mark, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
    let rest = match rest.strip_prefix(' ') {
        Some(rest) => rest,
        None if rest.is_empty() => rest,
        None => return Err(Fault::UnknownMark),
    };
    Ok(match mark {
        "<" => Record::Received(unescape(rest)?),
        ">" => Record::Sent(unescape(rest)?),
        "!" => Record::Event(rest.to_owned()),
        "$" => Record::Command(rest.to_owned()),
        "@" => Record::Elapsed(parse_millis(rest)?),
        "X" => Record::Closed,
        "#" => Record::Comment(rest.to_owned()),
        _ => return Err(Fault::UnknownMark),
    })
}

fn parse_millis(text: &str) -> Result<Duration, Fault> {
    let millis = text.trim().parse().map_err(|_| Fault::NotMilliseconds)?;
    Ok(Duration::from_millis(millis))
}

fn unescape_one(after: &[u8]) -> Result<(u8, &[u8]), Fault> {
    match after {
        [b'n', rest @ ..] => Ok((b'\n', rest)),
        [b'r', rest @ ..] => Ok((b'\r', rest)),
        [b't', rest @ ..] => Ok((b'\t', rest)),
        [b'\\', rest @ ..] => Ok((b'\\', rest)),
        [b'x', high, low, rest @ ..] => Ok((hex(*high)? << 4 | hex(*low)?, rest)),
        _ => Err(Fault::BadEscape),
    }
}

fn hex(digit: u8) -> Result<u8, Fault> {
    let value = char::from(digit).to_digit(16).ok_or(Fault::BadEscape)?;
    u8::try_from(value).map_err(|_| Fault::BadEscape)
}

fn push_hex(text: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    text.push_str("\\x");
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
}

fn whole_millis(duration: Duration) -> Duration {
    let millis = duration.as_millis();
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownMark => "must begin with one of `< > ! $ @ X #` and a space",
            Self::NotMilliseconds => "`@` requires a whole number of milliseconds",
            Self::BadEscape => {
                "`\\` must be followed by n, r, t, \\ or x and two hexadecimal digits"
            }
            Self::NotAscii => "a character beyond ASCII must be escaped as its bytes",
        })
    }
}

impl core::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn every_byte_survives_being_written_and_read() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescape(&escape(&all)), Ok(all));
    }

    #[test]
    fn spaces_at_the_ends_are_safe_from_editors() {
        assert_eq!(escape(b" a b "), "\\x20a b\\x20");
    }

    #[test]
    fn a_conversation_is_read_as_it_was_written() {
        let records = vec![
            Record::Comment("why".into()),
            Record::Command("exec 1".into()),
            Record::Sent(b"\x05A\x01".to_vec()),
            Record::Elapsed(Duration::from_millis(4999)),
            Record::Received(b"R\x01\x80\x00\x01".to_vec()),
            Record::Received(Vec::new()),
            Record::Event("Finished Completed".into()),
            Record::Closed,
        ];
        let text: String = records.iter().map(render).collect();
        let read: Vec<_> = parse(&text).unwrap().into_iter().map(|(_, r)| r).collect();
        assert_eq!(read, records);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, fault) in [
            ("\n? a", Fault::UnknownMark),
            ("\n<a", Fault::UnknownMark),
            ("\n@ soon", Fault::NotMilliseconds),
            ("\n< \\q", Fault::BadEscape),
            ("\n< \\x4", Fault::BadEscape),
            ("\n< \\x+1", Fault::BadEscape),
            ("\n> \u{e9}", Fault::NotAscii),
        ] {
            assert_eq!(parse(text), Err(ParseError { line: 2, fault }), "{text}");
        }
    }

    #[test]
    fn text_of_several_lines_stays_on_one() {
        let record = Record::Event("Raised one\ntwo".into());
        assert_eq!(render(&record), "! Raised one\\ntwo\n");
    }

    #[test]
    fn the_time_between_lines_adds_up_although_only_milliseconds_are_written() {
        let mut writer = Writer::new(Instant::START);
        let at = |micros| Instant::after_start(Duration::from_micros(micros));
        assert_eq!(writer.line(at(900), &Record::Closed), "X\n");
        assert_eq!(writer.line(at(1800), &Record::Closed), "@ 1\nX\n");
        assert_eq!(writer.line(at(3100), &Record::Closed), "@ 2\nX\n");
    }
}
