//! JSON (RFC 8259): objects in any layout.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr3};
use serde_json::Number;

use super::{
    Message,
    tokens::{Container, NESTING_LIMIT, Read, Scalar, Sink, State as Reading, Tokens},
};

pub(super) fn encode(message: &Message, out: &mut Vec<u8>) {
    match serde_json::to_vec(message) {
        Ok(bytes) if out.is_empty() => *out = bytes,
        Ok(bytes) => out.extend_from_slice(&bytes),
        // Strings, numbers and lists cannot fail to be written; an empty object is still a message.
        Err(_) => out.extend_from_slice(b"{}"),
    }
    out.push(b'\n');
}

/// Follows the grammar byte by byte, so that a fault is detected at its position.
///
/// Bytes that are not UTF-8 are passed on. Half a surrogate pair becomes U+FFFD, as in Go's `encoding/json`.
#[derive(Debug, Default)]
pub struct JsonTokens {
    state: State,
    /// One bit for each open bracket, the innermost lowest: set for an object.
    objects: u128,
    depth: usize,
    /// The received part of a number or a word.
    bare: String,
    /// True if only blanks have followed the last line end.
    blank_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum State {
    #[default]
    Start,
    KeyOrEnd,
    Key,
    InKey,
    Colon,
    Value,
    ValueOrEnd,
    InText,
    Bare,
    AfterValue,
}

/// Effect of a byte.
enum Step {
    Taken,
    /// Process the byte again in another state.
    Again,
    Complete,
    Wrong,
}

impl Tokens for JsonTokens {
    fn blanks(&self, bytes: &[u8]) -> usize {
        if self.state != State::Start {
            return 0;
        }
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    }

    fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Read {
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            if matches!(self.state, State::InKey | State::InText) {
                let text = self.text(&bytes[at..], sink);
                at += text.taken;
                match text.state {
                    Reading::Complete => continue,
                    state @ (Reading::Unfinished | Reading::Malformed { .. }) => {
                        return Read { taken: at, state };
                    }
                }
            }
            match self.step(byte, sink) {
                Step::Taken => at += 1,
                Step::Again => {}
                Step::Complete => {
                    let (taken, state) = (at + 1, Reading::Complete);
                    return Read { taken, state };
                }
                Step::Wrong => return self.wrong(at, byte),
            }
        }
        Read::unfinished(at)
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    /// Skips to a line that begins a message.
    fn garbage(&self, bytes: &[u8]) -> Option<usize> {
        memchr(b'\n', bytes).map(|end| end + 1)
    }
}

impl JsonTokens {
    /// Handles a wrong byte. A line that begins with an object, where none is allowed, is the next message after a
    /// truncated one.
    fn wrong(&self, at: usize, byte: u8) -> Read {
        let state = Reading::Malformed {
            expected: self.expected(),
            begins: byte == b'{' && self.blank_line,
        };
        Read { taken: at, state }
    }

    /// Continues in a string. The result is complete once the string is.
    fn text(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Read {
        let (mut at, mut utf8) = (0, [0; 4]);
        loop {
            let end = memchr3(b'"', b'\\', b'\n', &bytes[at..]).map(|offset| at + offset);
            let piece = &bytes[at..end.unwrap_or(bytes.len())];
            if let Some(control) = piece.iter().position(|byte| *byte < b' ') {
                return Read::malformed(at + control, STRING);
            }
            let ends = end.is_some_and(|end| bytes[end] == b'"');
            self.piece(piece, ends, sink);
            let Some(end) = end else {
                return Read::unfinished(bytes.len());
            };
            match bytes[end] {
                b'"' => {
                    self.state = match self.state == State::InKey {
                        true => State::Colon,
                        false => State::AfterValue,
                    };
                    let (taken, state) = (end + 1, Reading::Complete);
                    return Read { taken, state };
                }
                b'\\' => match escape(&bytes[end..]) {
                    Escape::Of(character, length) => {
                        let written = character.encode_utf8(&mut utf8);
                        self.piece(written.as_bytes(), false, sink);
                        at = end + length;
                    }
                    Escape::Unfinished => return Read::unfinished(end),
                    Escape::Wrong(offset) => return Read::malformed(end + offset, ESCAPE),
                },
                _ => return Read::malformed(end, STRING),
            }
        }
    }

    fn piece(&self, piece: &[u8], done: bool, sink: &mut impl Sink) {
        if piece.is_empty() && !done {
            return;
        }
        match self.state == State::InKey {
            true => sink.key(piece, done),
            false => sink.text(piece, done),
        }
    }

    /// Handles one byte outside of strings.
    fn step(&mut self, byte: u8, sink: &mut impl Sink) -> Step {
        if self.state == State::Bare {
            return self.bare(byte, sink);
        }
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            self.blank_line |= byte == b'\n';
            return Step::Taken;
        }
        let step = self.token(byte, sink);
        if matches!(step, Step::Taken) {
            self.blank_line = false;
        }
        step
    }

    fn bare(&mut self, byte: u8, sink: &mut impl Sink) -> Step {
        if !is_bare(byte) {
            self.state = State::AfterValue;
            return match self.end_bare(sink) {
                true => Step::Again,
                false => Step::Wrong,
            };
        }
        self.bare.push(char::from(byte));
        match self.bare.len() <= BARE_LIMIT {
            true => Step::Taken,
            false => Step::Wrong,
        }
    }

    /// Reports a number or a word, if it is one.
    fn end_bare(&mut self, sink: &mut impl Sink) -> bool {
        let scalar = match self.bare.as_str() {
            "null" => Scalar::Null,
            "true" => Scalar::Bool(true),
            "false" => Scalar::Bool(false),
            digits if serde_json::from_str::<Number>(digits).is_ok() => Scalar::Digits(digits),
            _ => {
                self.state = State::Bare;
                return false;
            }
        };
        sink.scalar(scalar);
        self.bare.clear();
        true
    }

    fn token(&mut self, byte: u8, sink: &mut impl Sink) -> Step {
        match (self.state, byte) {
            (State::Start | State::Value | State::ValueOrEnd, b'{') => {
                self.open(Container::Map, sink)
            }
            (State::Value | State::ValueOrEnd, b'[') => self.open(Container::List, sink),
            (State::KeyOrEnd | State::Key, b'"') => self.become_state(State::InKey),
            (State::Colon, b':') => self.become_state(State::Value),
            (State::Value | State::ValueOrEnd, b'"') => self.become_state(State::InText),
            (State::Value | State::ValueOrEnd, _) if is_bare(byte) => {
                self.state = State::Bare;
                Step::Again
            }
            (State::KeyOrEnd, b'}') | (State::ValueOrEnd, b']') => self.close(sink),
            (State::AfterValue, b',') => self.become_state(match self.in_object() {
                true => State::Key,
                false => State::Value,
            }),
            (State::AfterValue, b'}') if self.in_object() => self.close(sink),
            (State::AfterValue, b']') if !self.in_object() => self.close(sink),
            _ => Step::Wrong,
        }
    }

    fn become_state(&mut self, state: State) -> Step {
        self.state = state;
        Step::Taken
    }

    fn open(&mut self, container: Container, sink: &mut impl Sink) -> Step {
        if self.depth == NESTING_LIMIT {
            return Step::Wrong;
        }
        sink.open(container);
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(container == Container::Map);
        self.become_state(match container {
            Container::Map => State::KeyOrEnd,
            Container::List => State::ValueOrEnd,
        })
    }

    fn close(&mut self, sink: &mut impl Sink) -> Step {
        sink.close();
        self.objects >>= 1;
        self.depth -= 1;
        self.state = State::AfterValue;
        match self.depth {
            0 => Step::Complete,
            _ => Step::Taken,
        }
    }

    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    fn expected(&self) -> &'static str {
        match self.state {
            State::Start => "an object",
            State::KeyOrEnd | State::Key => "a key in quotes",
            State::Colon => "a colon",
            State::Value | State::ValueOrEnd if self.depth == NESTING_LIMIT => {
                "no more than 127 brackets inside of each other"
            }
            State::Value | State::ValueOrEnd => "a value",
            State::Bare => "a number, a word, or the end of one",
            State::InKey | State::InText => STRING,
            State::AfterValue if self.in_object() => "a comma or a closing brace",
            State::AfterValue => "a comma or a closing bracket",
        }
    }
}

const fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Sequence that begins with a backslash.
enum Escape {
    /// This character, and the length of its escape in bytes.
    Of(char, usize),
    Unfinished,
    /// Invalid at this byte.
    Wrong(usize),
}

fn escape(bytes: &[u8]) -> Escape {
    let character = match bytes.get(1) {
        None => return Escape::Unfinished,
        Some(b'u') => return unicode(bytes),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
        Some(_) => return Escape::Wrong(1),
    };
    Escape::Of(character, 2)
}

/// Reads `\u` and four digits, or two such sequences that form one character.
fn unicode(bytes: &[u8]) -> Escape {
    let first = match unit(bytes) {
        Ok(Some(unit)) => unit,
        Ok(None) => return Escape::Unfinished,
        Err(wrong) => return Escape::Wrong(wrong),
    };
    if let Some(character) = char::from_u32(first) {
        return Escape::Of(character, 6);
    }
    let lone = Escape::Of(char::REPLACEMENT_CHARACTER, 6);
    let rest = &bytes[6..];
    let goes_on = rest.iter().zip(b"\\u").all(|(byte, wanted)| byte == wanted);
    match unit(rest) {
        _ if first >= 0xdc00 || !goes_on => lone,
        Ok(None) => Escape::Unfinished,
        Ok(Some(second @ 0xdc00..0xe000)) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Escape::Of(
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                12,
            )
        }
        _ => lone,
    }
}

/// Reads the number after `\u`, if complete; otherwise the byte that is not a digit.
fn unit(bytes: &[u8]) -> Result<Option<u32>, usize> {
    let mut unit = 0;
    for at in 2..6 {
        let Some(digit) = bytes.get(at) else {
            return Ok(None);
        };
        unit = unit * 16 + char::from(*digit).to_digit(16).ok_or(at)?;
    }
    Ok(Some(unit))
}

const STRING: &str = "the rest of a string, in which control characters are escaped";
const ESCAPE: &str = "an escape such as \\n or \\u00e9";

/// Length limit of a number. Numbers from Go and JavaScript have fewer digits, whatever their value.
const BARE_LIMIT: usize = 64;
