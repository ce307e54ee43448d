//! Interprets one line of a device, before and after the body.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::str;

use crate::export::reply::checksum::{Broken, Checksum, setting};
use crate::export::reply::header::{Framing, Header};
use crate::export::reply::naming::{number_of, run_of};
use crate::export::{Naming, RunId};

/// One line before the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The body follows.
    Header(Header),
    /// An invalid header, such as `SIZE=-5`.
    BadHeader,
    /// The device reports that it cannot.
    Error(String),
    /// Anything else: an echo, a log line, a prompt.
    Noise,
}

/// One line after the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The body's checksum.
    Checksum(Checksum),
    /// The name of a checksum without its number; contains the line.
    BrokenChecksum(String),
    /// `OK …` or `DONE …`: the device has finished.
    Done,
    /// The device reports an error after all.
    Error(String),
    /// A prompt or a line of a logger, which a device may print at any time.
    Log,
    /// Anything else.
    Unknown,
}

/// Answer of a device to `START` or `STOP`, if it gives any: the document does not define one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A line `OK …` or `DONE …`.
    Done,
    /// A line `ERROR …` or `ERR …`.
    Refused {
        /// The line, without its end.
        text: String,
    },
}

impl Answer {
    /// Reads one line of a device; `None` for anything other than an answer.
    ///
    /// ```
    /// use flylead_core::export::Answer;
    ///
    /// assert_eq!(Answer::read(b"OK: Recording\r"), Some(Answer::Done));
    /// assert_eq!(Answer::read(b"ERR=0 OVR=0"), None);
    /// ```
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        match Closing::read(line) {
            Closing::Done => Some(Self::Done),
            Closing::Error(text) => Some(Self::Refused { text }),
            Closing::Checksum(_) | Closing::BrokenChecksum(_) | Closing::Log | Closing::Unknown => {
                None
            }
        }
    }
}

impl Opening {
    pub(crate) fn read(line: &[u8]) -> Self {
        let line = without_colors(line);
        let line = line.trim_ascii();
        match setting(line) {
            Some((name, rest)) if name.eq_ignore_ascii_case(b"SIZE") => return sized(rest),
            _ => {}
        }
        match line.strip_prefix(b"BEGIN") {
            Some(rest) => marked(rest),
            None => error_of(line).map_or(Self::Noise, Self::Error),
        }
    }
}

impl Closing {
    pub(crate) fn read(line: &[u8]) -> Self {
        let line = without_colors(line);
        match Checksum::parse(&line) {
            Some(Ok(checksum)) => return Self::Checksum(checksum),
            Some(Err(Broken)) => return Self::BrokenChecksum(text(&line)),
            None => {}
        }
        match error_of(&line) {
            Some(text) => Self::Error(text),
            None if is_done(&line) => Self::Done,
            None if is_log(&line) => Self::Log,
            None => Self::Unknown,
        }
    }
}

/// Reads `4782`, `4782 bytes` or `4782 CRC32=…`. A single word after `SIZE=` is always meant as a header; `SIZE=12 KB`
/// is prose.
fn sized(rest: &[u8]) -> Opening {
    let end = rest
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(rest.len());
    let (size, rest) = (size_of(&rest[..end]), rest[end..].trim_ascii());
    let is_unit = UNITS.iter().any(|unit| rest.eq_ignore_ascii_case(unit));
    let fields = Fields::read(if is_unit { b"" } else { rest });
    match (size, fields) {
        (Some(size), Ok(Some(fields))) if fields.lines.is_none() => {
            fields.header(Framing::Sized { size })
        }
        (None, Ok(_)) if rest.is_empty() || is_unit => Opening::BadHeader,
        (_, Err(Broken)) => Opening::BadHeader,
        _ => Opening::Noise,
    }
}

/// Reads nothing, or fields after a blank.
fn marked(rest: &[u8]) -> Opening {
    if !rest.is_empty() && !rest.starts_with(b" ") {
        return Opening::Noise;
    }
    match Fields::read(rest) {
        Ok(Some(fields)) => {
            let lines = fields.lines;
            fields.header(Framing::Marked { lines })
        }
        Ok(None) => Opening::Noise,
        Err(Broken) => Opening::BadHeader,
    }
}

/// The rest of a header: any of `LINES=n`, `RUN=name`, `REQ=n` and one checksum, once each, in any order.
#[derive(Debug, Default)]
struct Fields {
    lines: Option<u64>,
    checksum: Option<Checksum>,
    run_id: Option<RunId>,
    request: Option<u32>,
}

impl Fields {
    /// Reads the fields; `None` if a word is not a field: the line is then prose.
    fn read(rest: &[u8]) -> Result<Option<Self>, Broken> {
        let mut fields = Self::default();
        let mut words = rest
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            // `crc32: 0x1`
            let is_open = word.ends_with(b":") || word.ends_with(b"=");
            let value = is_open.then(|| words.next()).flatten();
            let is_known = fields.add(&[word, value.unwrap_or_default()].concat())?;
            if !is_known {
                return Ok(None);
            }
        }
        match (fields.request, &fields.run_id) {
            // A number is meaningless without its run.
            (Some(_), None) => Err(Broken),
            _ => Ok(Some(fields)),
        }
    }

    /// Adds a field. Returns true if it was not present yet.
    fn add(&mut self, word: &[u8]) -> Result<bool, Broken> {
        if let Some(checksum) = Checksum::parse(word) {
            return Ok(self.checksum.replace(checksum?).is_none());
        }
        let Some((name, value)) = setting(word) else {
            return Ok(false);
        };
        let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
        if is(b"LINES") {
            return Ok(self.lines.replace(size_of(value).ok_or(Broken)?).is_none());
        }
        if is(b"RUN") {
            return Ok(self.run_id.replace(run_of(value).ok_or(Broken)?).is_none());
        }
        if is(b"REQ") {
            let number = number_of(value).ok_or(Broken)?;
            return Ok(self.request.replace(number).is_none());
        }
        Ok(false)
    }

    fn header(self, framing: Framing) -> Opening {
        let request = self.request;
        Opening::Header(Header {
            framing,
            checksum: self.checksum,
            naming: self.run_id.map(|run_id| Naming { run_id, request }),
        })
    }
}

/// Reads 1 to 12 ASCII digits and nothing else: no sign, no underscore, no digits of other scripts.
fn size_of(digits: &[u8]) -> Option<u64> {
    let is_size = (1..=12).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_size
        .then(|| str::from_utf8(digits).ok()?.parse().ok())
        .flatten()
}

/// Returns the text of `ERROR: Log file not found` or `ERR 5`; not of `ERRATIC`, the counters `ERR=0 OVR=0`, or a row.
fn error_of(line: &[u8]) -> Option<String> {
    let rest = line
        .strip_prefix(b"ERROR")
        .or_else(|| line.strip_prefix(b"ERR"))?;
    let is_other = |next: &u8| next.is_ascii_alphabetic() || matches!(next, b'=' | b',' | b';');
    let is_answer = !rest.first().is_some_and(is_other);
    is_answer.then(|| text(line))
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim().to_owned()
}

fn is_done(line: &[u8]) -> bool {
    line.strip_prefix(b"OK")
        .or_else(|| line.strip_prefix(b"DONE"))
        .is_some_and(|rest| matches!(rest.first(), None | Some(b':' | b' ')))
}

/// Returns true for `>>> `, `> ` or `logger> `, and `I (3211) sd: closed` as ESP-IDF's logger writes it
/// (components/log, `LOG_FORMAT`).
fn is_log(line: &[u8]) -> bool {
    line.starts_with(b">>>") || is_prompt(line) || is_logger(line)
}

/// Returns true for a line of ESP-IDF's logger, with or without color.
pub(crate) fn is_logger(line: &[u8]) -> bool {
    let line = without_colors(line);
    matches!(line[..], [b'E' | b'W' | b'I' | b'D' | b'V', b' ', b'(', digit, ..] if digit.is_ascii_digit())
}

/// Returns true for a short line that ends in `>` and is neither a row nor XML.
fn is_prompt(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b">")
        && line.len() <= LONGEST_PROMPT
        && !line
            .iter()
            .any(|byte| matches!(byte, b',' | b';' | b'\t' | b'<'))
}

/// Returns the line without terminal escapes such as `ESC [ 0;32 m`, which loggers put around their lines, and without
/// its `\r`.
fn without_colors(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line.strip_suffix(b"\r").unwrap_or(line);
    while let Some((byte, after)) = rest.split_first() {
        rest = match after.strip_prefix(b"[") {
            Some(sequence) if *byte == ESCAPE => after_final_byte(sequence),
            _ => {
                plain.push(*byte);
                after
            }
        };
    }
    let end = plain.len()
        - plain
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\r')
            .count();
    plain.truncate(end);
    plain
}

fn after_final_byte(sequence: &[u8]) -> &[u8] {
    let parameters = sequence
        .iter()
        .take_while(|byte| matches!(byte, 0x20..=0x3f))
        .count();
    sequence.get(parameters + 1..).unwrap_or_default()
}

/// Words after a size that do not change it.
const UNITS: [&[u8]; 3] = [b"bytes", b"byte", b"B"];
const ESCAPE: u8 = 0x1b;
/// Length limit of a prompt, in bytes.
const LONGEST_PROMPT: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn sized(size: u64) -> Opening {
        header(Framing::Sized { size }, None)
    }

    fn header(framing: Framing, checksum: Option<Checksum>) -> Opening {
        Opening::Header(Header {
            framing,
            checksum,
            naming: None,
        })
    }

    #[test]
    fn a_header_may_name_the_question_that_it_answers() {
        let named = |line: &str| match Opening::read(line.as_bytes()) {
            Opening::Header(header) => header.naming.map(|naming| format!("{naming}")),
            other => Some(format!("{other:?}")),
        };
        for (line, naming) in [
            ("SIZE=5 RUN=a", Some("RUN=a")),
            ("SIZE=5 RUN=a REQ=7 CRC32=1a2b3c4d\r", Some("RUN=a REQ=7")),
            ("size: 5 crc32: 1 req: 0 run: a", Some("RUN=a REQ=0")),
            ("BEGIN LINES=3 RUN=a REQ=12", Some("RUN=a REQ=12")),
            ("BEGIN RUN=a", Some("RUN=a")),
            ("SIZE=5 CRC32=1", None),
            ("SIZE=5 RUN=../a", Some("BadHeader")),
            ("SIZE=5 REQ=7", Some("BadHeader")),
            ("BEGIN RUN=a REQ=x", Some("BadHeader")),
            ("SIZE=5 RUN=a RUN=b", Some("Noise")),
            ("SIZE=5 LINES=2", Some("Noise")),
        ] {
            assert_eq!(named(line).as_deref(), naming, "{line}");
        }
    }

    #[test]
    fn f1_only_a_whole_line_is_a_header() {
        assert_eq!(Opening::read(b"SIZE=12345"), sized(12345));
        assert_eq!(Opening::read(b"SIZE=12345\r"), sized(12345));
        assert_eq!(Opening::read(b"\x1b[0;32mSIZE=7\x1b[0m\r"), sized(7));
        for noise in [
            "I (3211) sd: SIZE=999",
            "SIZE=12 KB",
            "resize=5",
            "SIZE 5",
            "Received: EXPORT run_id=a",
            "BEGINNING",
            "BEGIN of log",
            "",
        ] {
            assert_eq!(Opening::read(noise.as_bytes()), Opening::Noise, "{noise}");
        }
    }

    #[test]
    fn the_ways_in_which_people_write_a_size_are_read() {
        for line in [
            "SIZE: 2294",
            "size=2294",
            "Size = 2294",
            " SIZE=2294",
            "SIZE=2294 \r",
            "SIZE=2294 bytes",
            "Size: 2294 B",
        ] {
            assert_eq!(Opening::read(line.as_bytes()), sized(2294), "{line}");
        }
        assert_eq!(
            Opening::read(b"size: 2294 crc32: 0x1"),
            header(Framing::Sized { size: 2294 }, Some(Checksum::Crc32(1)))
        );
        for bad in ["size: small", "SIZE: 2,294", "SIZE=0x8f6"] {
            assert_eq!(Opening::read(bad.as_bytes()), Opening::BadHeader, "{bad}");
        }
    }

    #[test]
    fn f3_a_size_that_is_no_plain_number_is_a_bad_header() {
        assert_eq!(Opening::read(b"SIZE=0"), sized(0));
        assert_eq!(Opening::read(b"SIZE=999999999999"), sized(999_999_999_999));
        for bad in [
            "SIZE=-5",
            "SIZE=+5",
            "SIZE=1_0",
            "SIZE=1000000000000",
            "SIZE=",
            "SIZE=abc",
            "SIZE=٣",
            "SIZE=5 CRC32=1x",
        ] {
            assert_eq!(Opening::read(bad.as_bytes()), Opening::BadHeader, "{bad}");
        }
    }

    #[test]
    fn f2_a_line_that_begins_with_error_is_the_devices_answer() {
        assert_eq!(
            Opening::read(b"ERROR: Log file not found\r"),
            Opening::Error("ERROR: Log file not found".into())
        );
        assert_eq!(Opening::read(b"ERR 5"), Opening::Error("ERR 5".into()));
        for noise in ["ERRATIC readings", "ERR=0 OVR=0", "ERROR,5"] {
            assert_eq!(Opening::read(noise.as_bytes()), Opening::Noise, "{noise}");
        }
    }

    #[test]
    fn f11_the_text_header_may_say_how_many_lines_follow() {
        let marked = |lines| header(Framing::Marked { lines }, None);
        assert_eq!(Opening::read(b"BEGIN"), marked(None));
        assert_eq!(Opening::read(b"BEGIN LINES=3\r"), marked(Some(3)));
        assert_eq!(Opening::read(b"BEGIN LINES=x"), Opening::BadHeader);
        assert_eq!(
            Opening::read(b"BEGIN LINES=3 CRC32=00000001"),
            header(Framing::Marked { lines: Some(3) }, Some(Checksum::Crc32(1)))
        );
    }

    #[test]
    fn a_line_after_the_body_is_a_checksum_an_answer_a_log_line_or_data() {
        assert_eq!(
            Closing::read(b"OK: Exported 5 bytes from /sd/a.csv\r"),
            Closing::Done
        );
        assert_eq!(
            Closing::read(b"CRC32=00000001"),
            Closing::Checksum(Checksum::Crc32(1))
        );
        assert_eq!(
            Closing::read(b"CRC32=1x\r"),
            Closing::BrokenChecksum("CRC32=1x".into())
        );
        assert_eq!(
            Closing::read(b"ERROR: SD read failed"),
            Closing::Error("ERROR: SD read failed".into())
        );
        assert_eq!(Closing::read(b"I (3211) sd: closed"), Closing::Log);
        for prompt in [">>> ", "> ", "esp32> "] {
            assert_eq!(Closing::read(prompt.as_bytes()), Closing::Log, "{prompt}");
        }
        assert_eq!(Closing::read(b"DONE"), Closing::Done);
        assert_eq!(Closing::read(b"<end>"), Closing::Unknown);
        assert_eq!(Closing::read(b"12,0.5,OK"), Closing::Unknown);
        assert_eq!(Closing::read(b"OK,0.5"), Closing::Unknown);
    }

    #[test]
    fn an_escape_without_an_end_swallows_nothing_but_its_line() {
        assert_eq!(without_colors(b"\x1b[0;3"), b"");
        assert_eq!(without_colors(b"a\x1b"), b"a\x1b");
    }
}
