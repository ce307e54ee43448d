//! Where a JSON object ends, however it is laid out.

use alloc::{borrow::Cow, string::String, vec::Vec};

use memchr::memchr3;
use serde_json::Value as Json;

use super::{Malformed, MalformedReason, Message, NESTING_LIMIT, Scan, from_tree, malformed};

pub(super) fn encode(message: &Message, out: &mut Vec<u8>) {
    match serde_json::to_vec(message) {
        Ok(bytes) if out.is_empty() => *out = bytes,
        Ok(bytes) => out.extend_from_slice(&bytes),
        // Strings, numbers and lists cannot fail to be written; an empty object is still a message.
        Err(_) => out.extend_from_slice(b"{}"),
    }
    out.push(b'\n');
}

/// Reads one object. What is not UTF-8, or half a surrogate pair, becomes U+FFFD.
pub(super) fn parse(bytes: &[u8]) -> Result<Message, Malformed> {
    if let Ok(message) = serde_json::from_slice(bytes) {
        return Ok(message);
    }
    let text = String::from_utf8_lossy(bytes);
    let tree: Json = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(&text)))
        .map_err(|_| malformed(MalformedReason::Syntax))?;
    from_tree(tree)
}

/// Follows the grammar down to the tokens, byte by byte, so that a fault is seen where it is.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    pub(super) at: usize,
    state: State,
    /// One bit for each open bracket, the innermost lowest: set for an object.
    objects: u128,
    depth: usize,
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
    InString,
    /// A number or a word; whether it is a good one is seen when the whole message is read.
    Bare,
    AfterValue,
}

impl Scanner {
    pub(super) fn has_begun(&self) -> bool {
        self.state != State::Start
    }

    pub(super) fn scan(&mut self, message: &[u8]) -> Scan {
        while let Some(byte) = message.get(self.at).copied() {
            if matches!(self.state, State::InKey | State::InString) {
                match self.string(message) {
                    Some(true) => continue,
                    Some(false) => return Scan::Malformed(self.at),
                    None => return Scan::Incomplete,
                }
            }
            if self.state == State::Bare && is_bare(byte) {
                self.at += 1;
                continue;
            }
            if !self.token(byte) {
                return Scan::Malformed(self.at);
            }
            self.at += 1;
            if self.depth == 0 {
                return Scan::Complete(self.at);
            }
        }
        Scan::Incomplete
    }

    /// Goes on to the end of a string: true there, false at a raw line end, which no string can hold.
    fn string(&mut self, message: &[u8]) -> Option<bool> {
        loop {
            let found = memchr3(b'"', b'\\', b'\n', message.get(self.at..)?);
            let Some(offset) = found else {
                self.at = message.len();
                return None;
            };
            let at = self.at + offset;
            match message[at] {
                b'"' => {
                    self.at = at + 1;
                    self.state = if self.state == State::InKey {
                        State::Colon
                    } else {
                        State::AfterValue
                    };
                    return Some(true);
                }
                b'\\' if at + 1 == message.len() => {
                    self.at = at;
                    return None;
                }
                b'\\' if message[at + 1] != b'\n' => self.at = at + 2,
                b'\\' => {
                    self.at = at + 1;
                    return Some(false);
                }
                _ => {
                    self.at = at;
                    return Some(false);
                }
            }
        }
    }

    /// Takes in one byte outside of strings: whether it may be there.
    fn token(&mut self, byte: u8) -> bool {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            if self.state == State::Bare {
                self.state = State::AfterValue;
            }
            return true;
        }
        match (self.state, byte) {
            (State::Start | State::Value | State::ValueOrEnd, b'{') => self.open(true),
            (State::Value | State::ValueOrEnd, b'[') => self.open(false),
            (State::KeyOrEnd | State::Key, b'"') => self.become_state(State::InKey),
            (State::Colon, b':') => self.become_state(State::Value),
            (State::Value | State::ValueOrEnd, b'"') => self.become_state(State::InString),
            (State::Value | State::ValueOrEnd, _) if is_bare(byte) => {
                self.become_state(State::Bare)
            }
            (State::KeyOrEnd, b'}') => self.close(),
            (State::ValueOrEnd, b']') => self.close(),
            (State::AfterValue | State::Bare, b',') => self.become_state(if self.in_object() {
                State::Key
            } else {
                State::Value
            }),
            (State::AfterValue | State::Bare, b'}') if self.in_object() => self.close(),
            (State::AfterValue | State::Bare, b']') if !self.in_object() => self.close(),
            _ => false,
        }
    }

    fn become_state(&mut self, state: State) -> bool {
        self.state = state;
        true
    }

    fn open(&mut self, object: bool) -> bool {
        self.objects = self.objects << 1 | u128::from(object);
        self.depth += 1;
        self.state = if object {
            State::KeyOrEnd
        } else {
            State::ValueOrEnd
        };
        self.depth <= NESTING_LIMIT
    }

    fn close(&mut self) -> bool {
        self.objects >>= 1;
        self.depth -= 1;
        self.become_state(State::AfterValue)
    }

    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

const fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// Replaces `\ud800`…`\udfff` that are not half of a pair by `\ufffd`.
fn without_lone_surrogates(text: &str) -> String {
    let mut fixed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        fixed.push_str(before);
        let (written, length) = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (Cow::from(&escape[..12]), 12),
            (Some(_), _) => (Cow::from("\\ufffd"), 6),
            (None, _) => {
                let end = escape
                    .char_indices()
                    .nth(2)
                    .map_or(escape.len(), |(end, _)| end);
                (Cow::from(&escape[..end]), end)
            }
        };
        fixed.push_str(&written);
        rest = &escape[length..];
    }
    fixed + rest
}

/// The surrogate that an escape stands for, if it is one.
fn surrogate(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    (0xd800..0xe000).contains(&code).then_some(code)
}
