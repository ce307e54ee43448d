//! Messages in a byte stream: a header with the length, an empty line, JSON.

use alloc::{format, string::ToString, vec::Vec};
use core::fmt;

use memchr::memmem;
use serde_json::{Value, json};

/// Cuts a stream into messages.
#[derive(Debug, Default)]
pub(super) struct Framing {
    held: Vec<u8>,
}

/// The stream violates the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FramingError {
    /// A header lacks `Content-Length`, or has no end.
    Header,
    /// A message is longer than the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The message is not valid JSON.
    Json,
}

impl Framing {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Returns the next complete message.
    pub(super) fn next(&mut self) -> Option<Result<Value, FramingError>> {
        let Some(end) = memmem::find(&self.held, SEPARATOR) else {
            return (self.held.len() > HEADER_LIMIT).then_some(Err(FramingError::Header));
        };
        let length = match length(&self.held[..end]) {
            Ok(length) => length,
            Err(error) => return Some(Err(error)),
        };
        let start = end + SEPARATOR.len();
        let body = self.held.get(start..start + length)?;
        let message = serde_json::from_slice(body).map_err(|_| FramingError::Json);
        self.held.drain(..start + length);
        Some(message)
    }
}

fn length(header: &[u8]) -> Result<usize, FramingError> {
    let header = core::str::from_utf8(header).map_err(|_| FramingError::Header)?;
    let mut fields = header.split("\r\n").filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("Content-Length"));
    let length: usize = length
        .and_then(|(_, value)| value.trim().parse().ok())
        .ok_or(FramingError::Header)?;
    if length > MESSAGE_LIMIT {
        return Err(FramingError::TooLong {
            limit: MESSAGE_LIMIT,
        });
    }
    Ok(length)
}

/// Encodes a message for sending.
pub(super) fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Encodes the messages to an editor whose session cannot begin: the reason, and the end.
#[must_use]
pub fn farewell(reason: &str) -> Vec<u8> {
    let body = json!({"category": "important", "output": format!("{reason}\n")});
    let said = json!({"seq": 1, "type": "event", "event": "output", "body": body});
    let over = json!({"seq": 2, "type": "event", "event": "terminated", "body": {}});
    [frame(&said), frame(&over)].concat()
}

impl fmt::Display for FramingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str(
                "this is not the Debug Adapter Protocol: a message begins with `Content-Length: N`",
            ),
            Self::TooLong { limit } => write!(f, "a message is longer than {limit} bytes"),
            Self::Json => f.write_str("a message is not valid JSON"),
        }
    }
}

impl core::error::Error for FramingError {}

const SEPARATOR: &[u8] = b"\r\n\r\n";
const HEADER_LIMIT: usize = 1024;
/// Size limit of a message, in bytes: editors send breakpoints and expressions, not files.
const MESSAGE_LIMIT: usize = 4 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_wherever_the_bytes_are_split() {
        let bytes = [frame(&json!({"a": "ä"})), frame(&json!([1]))].concat();
        for size in [bytes.len(), 7, 1] {
            let mut framing = Framing::default();
            let mut found = Vec::new();
            for chunk in bytes.chunks(size) {
                framing.push(chunk);
                while let Some(message) = framing.next() {
                    found.push(message.unwrap());
                }
            }
            assert_eq!(found, [json!({"a": "ä"}), json!([1])]);
        }
    }

    #[test]
    fn what_is_not_the_protocol_is_told() {
        let cases: [(&[u8], FramingError); 4] = [
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", FramingError::Header),
            (&[b'x'; 2000], FramingError::Header),
            (
                b"Content-Length: 99999999\r\n\r\n",
                FramingError::TooLong {
                    limit: MESSAGE_LIMIT,
                },
            ),
            (b"Content-Length: 2\r\n\r\n{]", FramingError::Json),
        ];
        for (bytes, expected) in cases {
            let mut framing = Framing::default();
            framing.push(bytes);
            assert_eq!(framing.next(), Some(Err(expected)));
        }
    }
}
