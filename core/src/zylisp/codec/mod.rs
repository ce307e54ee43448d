//! Decodes and encodes messages, in JSON or MessagePack.

mod decoder;
mod fault;
mod json;
mod messagepack;
mod request;
mod tokens;
mod tree;

use alloc::{string::String, vec::Vec};
use core::{fmt, iter, str::FromStr};

use super::message::Message;
use messagepack::MessagePackTokens;
use tree::TreeBuilder;

pub use fault::{Malformed, MalformedReason};
#[cfg(feature = "nrepl")]
pub(crate) use tokens::NESTING_LIMIT;
pub(crate) use {
    decoder::StreamDecoder,
    json::JsonTokens,
    request::{Field, Level, Request, RequestBuilder},
    tokens::{Container, Read, Scalar, Sink, State, Tokens},
};

/// Encoding of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// A JSON object, followed by a newline. Readers do not need the newline: they detect the end of an object.
    #[default]
    Json,
    /// A MessagePack map, without separators.
    MessagePack,
}

impl Encoding {
    /// Appends a message to the output.
    pub fn encode(self, message: &Message, out: &mut Vec<u8>) {
        match self {
            Self::Json => json::encode(message, out),
            Self::MessagePack => messagepack::encode(message, out),
        }
    }

    /// Iterates over the messages in encoded bytes, for links that carry one at a time.
    pub fn messages(self, encoded: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = encoded;
        iter::from_fn(move || {
            let mut tokens = AnyTokens::new(self);
            rest = &rest[tokens.blanks(rest)..];
            let read = tokens.read(rest, &mut Nobody);
            if read.state != State::Complete {
                return None;
            }
            let (message, later) = rest.split_at(read.taken);
            rest = later;
            Some(message)
        })
    }

    /// Returns the name: `json` or `msgpack`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::MessagePack => "msgpack",
        }
    }

    /// Returns true if its messages are text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Json)
    }
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        match name {
            "json" => Ok(Self::Json),
            "msgpack" | "messagepack" => Ok(Self::MessagePack),
            _ => Err(UnknownEncoding),
        }
    }
}

/// Error: no encoding has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownEncoding;

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an encoding is `json` or `msgpack`")
    }
}

impl core::error::Error for UnknownEncoding {}

/// Finds messages in a stream of bytes.
///
/// Any bytes, split anywhere, give the same messages and the same faults. The decoder stores one unfinished message up
/// to the limit; a longer one is reported once, and skipped to its end without being stored.
#[derive(Debug)]
pub struct Decoder(StreamDecoder<AnyTokens, TreeBuilder>);

impl Decoder {
    /// Creates a decoder for messages of at most `limit` bytes each.
    #[must_use]
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        let tokens = AnyTokens::new(encoding);
        Self(StreamDecoder::new(tokens, TreeBuilder::default(), limit))
    }

    /// Takes received bytes, and delivers complete messages.
    pub fn push(&mut self, bytes: &[u8], found: impl FnMut(Result<Message, Malformed>)) {
        self.0.push(bytes, found);
    }

    /// Returns true while a message is incomplete.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.0.is_unfinished()
    }
}

/// Tokenizer of either encoding.
#[derive(Debug)]
pub enum AnyTokens {
    Json(JsonTokens),
    MessagePack(MessagePackTokens),
}

impl AnyTokens {
    pub(crate) fn new(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Json => Self::Json(JsonTokens::default()),
            Encoding::MessagePack => Self::MessagePack(MessagePackTokens::default()),
        }
    }
}

impl Tokens for AnyTokens {
    fn blanks(&self, bytes: &[u8]) -> usize {
        match self {
            Self::Json(tokens) => tokens.blanks(bytes),
            Self::MessagePack(tokens) => tokens.blanks(bytes),
        }
    }

    fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Read {
        match self {
            Self::Json(tokens) => tokens.read(bytes, sink),
            Self::MessagePack(tokens) => tokens.read(bytes, sink),
        }
    }

    fn restart(&mut self) {
        match self {
            Self::Json(tokens) => tokens.restart(),
            Self::MessagePack(tokens) => tokens.restart(),
        }
    }

    fn garbage(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Json(tokens) => tokens.garbage(bytes),
            Self::MessagePack(tokens) => tokens.garbage(bytes),
        }
    }
}

/// Sink that ignores all tokens.
struct Nobody;

impl Sink for Nobody {
    fn open(&mut self, _: Container) {}

    fn close(&mut self) {}

    fn key(&mut self, _: &[u8], _: bool) {}

    fn text(&mut self, _: &[u8], _: bool) {}

    fn scalar(&mut self, _: Scalar<'_>) {}
}

/// Returns an id, a number or another scalar as text.
pub(crate) fn text_of_scalar(scalar: Scalar<'_>) -> Option<String> {
    Some(match scalar {
        Scalar::Digits(digits) => digits.into(),
        Scalar::Unsigned(number) => alloc::format!("{number}"),
        Scalar::Signed(number) => alloc::format!("{number}"),
        Scalar::Float(number) => alloc::format!("{number}"),
        Scalar::Null | Scalar::Bool(_) => return None,
    })
}

#[cfg(test)]
mod tests;
