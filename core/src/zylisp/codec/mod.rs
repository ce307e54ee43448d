//! Messages out of bytes and into bytes, in JSON or MessagePack.

mod json;
mod messagepack;

use alloc::{format, string::String, vec::Vec};
use core::{fmt, mem};

use memchr::{memchr, memrchr};
use serde_json::Value as Json;

use super::message::{Message, id_of};

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// A JSON object, and a newline after it. Readers need no newline: they see where an object ends.
    #[default]
    Json,
    /// A MessagePack map, and nothing between two of them.
    MessagePack,
}

/// Finds messages in a stream of bytes.
///
/// Any bytes, split anywhere, give the same messages and the same faults. It holds one unfinished message of at most
/// the limit; what is longer is reported once, and skipped to its end without being kept.
#[derive(Debug)]
pub struct Decoder {
    encoding: Encoding,
    limit: usize,
    held: Vec<u8>,
    scanner: Scanner,
    skipping: Skipping,
    opening: Opening,
}

/// Something came in that is no message. The decoder has found its way back to where the next one can begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The id of the request, if that much could be read.
    pub id: String,
    /// What is wrong with it.
    pub reason: MalformedReason,
}

/// Why something is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// It is not the encoding.
    Syntax,
    /// It is well written, but no message: a field has the wrong type.
    Shape(String),
    /// It is longer than the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// It is a web browser's request. Whoever speaks HTTP to a REPL was tricked into it: close the connection.
    Http,
}

impl Encoding {
    /// Appends a message to what is to be sent.
    pub fn encode(self, message: &Message, out: &mut Vec<u8>) {
        match self {
            Self::Json => json::encode(message, out),
            Self::MessagePack => messagepack::encode(message, out),
        }
    }

    /// The messages in bytes that were encoded: for links that carry one at a time.
    pub fn messages(self, encoded: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = encoded;
        core::iter::from_fn(move || {
            let length = match Scanner::new(self).scan(rest) {
                Scan::Complete(length) => length,
                Scan::Incomplete | Scan::Malformed(_) => return None,
            };
            let message = &rest[..length];
            rest = rest[length..].trim_ascii_start();
            Some(message)
        })
    }

    /// Its name: `json` or `msgpack`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::MessagePack => "msgpack",
        }
    }

    /// Whether its messages are text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Json)
    }

    fn parse(self, bytes: &[u8]) -> Result<Message, Malformed> {
        match self {
            Self::Json => json::parse(bytes),
            Self::MessagePack => messagepack::parse(bytes),
        }
    }
}

impl core::str::FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        match name {
            "json" => Ok(Self::Json),
            "msgpack" | "messagepack" => Ok(Self::MessagePack),
            _ => Err(UnknownEncoding),
        }
    }
}

/// A name that is no encoding's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownEncoding;

/// How far a scanner got with a message that begins at the first byte.
enum Scan {
    Incomplete,
    /// It ends before this byte.
    Complete(usize),
    /// It goes wrong at this byte.
    Malformed(usize),
}

#[derive(Debug)]
enum Scanner {
    Json(json::Scanner),
    MessagePack(messagepack::Scanner),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Skipping {
    Nothing,
    /// Up to where a message can begin, after something malformed.
    Garbage,
    /// To the end of a message that is too long.
    Message,
}

/// What the stream began with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Opening {
    Unknown,
    Fine,
    Http,
}

impl Decoder {
    /// Messages of at most `limit` bytes each.
    #[must_use]
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self {
            encoding,
            limit,
            held: Vec::new(),
            scanner: Scanner::new(encoding),
            skipping: Skipping::Nothing,
            opening: Opening::Unknown,
        }
    }

    /// Takes in what arrived, and hands out what is whole.
    pub fn push(&mut self, bytes: &[u8], mut found: impl FnMut(Result<Message, Malformed>)) {
        self.held.extend_from_slice(bytes);
        if self.opening == Opening::Unknown {
            self.opening = opening(&self.held);
        }
        match self.opening {
            Opening::Unknown => {}
            Opening::Fine => self.scan_all(&mut found),
            Opening::Http => {
                if !mem::take(&mut self.held).is_empty() && self.skipping == Skipping::Nothing {
                    self.skipping = Skipping::Garbage;
                    found(Err(malformed(MalformedReason::Http)));
                }
            }
        }
    }

    /// Whether a message has begun and is not whole yet.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !self.held.is_empty() || self.skipping == Skipping::Message
    }

    fn scan_all(&mut self, found: &mut impl FnMut(Result<Message, Malformed>)) {
        let held = mem::take(&mut self.held);
        let mut start = 0;
        loop {
            start += self.blanks(&held[start..]);
            let rest = &held[start..];
            if rest.is_empty() {
                break;
            }
            match self.scanner.scan(rest) {
                Scan::Complete(length) => {
                    if mem::replace(&mut self.skipping, Skipping::Nothing) == Skipping::Nothing {
                        found(self.complete(&rest[..length]));
                    }
                    self.scanner = Scanner::new(self.encoding);
                    start += length;
                }
                Scan::Malformed(at) => start += self.malformed(rest, at, found),
                Scan::Incomplete => {
                    if self.skipping == Skipping::Nothing && rest.len() > self.limit {
                        self.skipping = Skipping::Message;
                        found(Err(self.too_long()));
                    }
                    if self.skipping == Skipping::Message {
                        start += self.scanner.forget(rest.len());
                    }
                    break;
                }
            }
        }
        self.held = held;
        self.held.drain(..start);
    }

    /// Reports a message that goes wrong at `at`, and says where to look for the next one.
    fn malformed(
        &mut self,
        message: &[u8],
        at: usize,
        found: &mut impl FnMut(Result<Message, Malformed>),
    ) -> usize {
        self.scanner = Scanner::new(self.encoding);
        let skipped = mem::replace(&mut self.skipping, Skipping::Garbage) == Skipping::Message;
        if skipped || at > self.limit {
            if !skipped {
                found(Err(self.too_long()));
            }
            return at;
        }
        found(Err(malformed(MalformedReason::Syntax)));
        self.resume(message, at)
    }

    /// How many bytes come before a message can begin.
    fn blanks(&mut self, bytes: &[u8]) -> usize {
        if self.skipping == Skipping::Garbage {
            let Some(length) = self.encoding.garbage(bytes) else {
                return bytes.len();
            };
            self.skipping = Skipping::Nothing;
            return length + self.blanks(&bytes[length..]);
        }
        if self.encoding == Encoding::MessagePack || self.scanner.has_begun() {
            return 0;
        }
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count()
    }

    /// Where to look for the next message, after one that went wrong at `at`.
    fn resume(&mut self, message: &[u8], at: usize) -> usize {
        match self.encoding {
            Encoding::Json => match new_line_with_object(message, at) {
                Some(start) => {
                    self.skipping = Skipping::Nothing;
                    start
                }
                None => at,
            },
            // The first byte is what the fault began with; garbage is skipped from the next.
            Encoding::MessagePack => at.max(1),
        }
    }

    fn complete(&self, bytes: &[u8]) -> Result<Message, Malformed> {
        if bytes.len() > self.limit {
            return Err(self.too_long());
        }
        self.encoding.parse(bytes)
    }

    fn too_long(&self) -> Malformed {
        malformed(MalformedReason::TooLong { limit: self.limit })
    }
}

impl Encoding {
    /// How much of `bytes` is garbage, if its end is in them.
    fn garbage(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Json => memchr(b'\n', bytes).map(|end| end + 1),
            Self::MessagePack => bytes.iter().position(|byte| messagepack::begins_map(*byte)),
        }
    }
}

impl Scanner {
    fn new(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Json => Self::Json(json::Scanner::default()),
            Encoding::MessagePack => Self::MessagePack(messagepack::Scanner::default()),
        }
    }

    fn scan(&mut self, message: &[u8]) -> Scan {
        match self {
            Self::Json(scanner) => scanner.scan(message),
            Self::MessagePack(scanner) => scanner.scan(message),
        }
    }

    /// What was passed of these `length` bytes need not be kept, and will not be shown again: how many they are.
    fn forget(&mut self, length: usize) -> usize {
        let at = match self {
            Self::Json(scanner) => &mut scanner.at,
            Self::MessagePack(scanner) => &mut scanner.at,
        };
        let passed = length.min(*at);
        *at -= passed;
        passed
    }

    fn has_begun(&self) -> bool {
        match self {
            Self::Json(scanner) => scanner.has_begun(),
            Self::MessagePack(_) => false,
        }
    }
}

/// A line that begins with an object, where an object cannot be, is the next message after one that was cut off.
fn new_line_with_object(message: &[u8], at: usize) -> Option<usize> {
    let line = memrchr(b'\n', &message[..at])? + 1;
    let blank = message[line..at].iter().all(u8::is_ascii_whitespace);
    (blank && message[at] == b'{').then_some(line)
}

/// Looks for an HTTP request's method, the one thing a browser cannot help to send first.
fn opening(bytes: &[u8]) -> Opening {
    const LONGEST_METHOD: usize = 8;
    let word = bytes
        .iter()
        .take(LONGEST_METHOD)
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    match bytes.get(word) {
        None => Opening::Unknown,
        Some(b' ') if word >= 3 => Opening::Http,
        _ => Opening::Fine,
    }
}

/// A message from a tree, which says better what is wrong than reading it in one go, and lets the last of two equal
/// keys win.
fn from_tree(tree: Json) -> Result<Message, Malformed> {
    let id = tree.get("id").and_then(id_of).unwrap_or_default();
    serde_json::from_value(tree).map_err(|error| Malformed {
        id,
        reason: MalformedReason::Shape(format!("{error}")),
    })
}

fn malformed(reason: MalformedReason) -> Malformed {
    Malformed {
        id: String::new(),
        reason,
    }
}

/// How deep values may nest in a message: as deep as serde_json reads.
const NESTING_LIMIT: usize = 127;

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("malformed message: it cannot be read"),
            Self::Shape(what) => write!(f, "malformed message: {what}"),
            Self::TooLong { limit } => write!(f, "the message is longer than {limit} bytes"),
            Self::Http => f.write_str("this is a REPL, which does not speak HTTP"),
        }
    }
}

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an encoding is `json` or `msgpack`")
    }
}

impl core::error::Error for UnknownEncoding {}

#[cfg(test)]
mod tests;
