//! The part of MessagePack (<https://github.com/msgpack/msgpack/blob/master/spec.md>) that messages use: maps with text
//! keys, lists, text, numbers, truth values and nil.

mod write;

use alloc::vec::Vec;

use super::tokens::{Container, NESTING_LIMIT, Read, Scalar, Sink, State, Tokens};

pub(super) use write::encode;

/// Counts the remaining items of each open map and list.
#[derive(Debug, Default)]
pub struct MessagePackTokens {
    open: Vec<Open>,
    /// Remaining bytes of a text. Its 32-bit length may exceed the address space of a machine.
    text: Option<u64>,
}

#[derive(Debug)]
struct Open {
    container: Container,
    /// Number of remaining values and keys.
    left: u64,
}

impl Tokens for MessagePackTokens {
    fn blanks(&self, _bytes: &[u8]) -> usize {
        0
    }

    fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Read {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            if let Some(left) = self.text {
                at += self.take_text(left, rest, sink);
                if self.text.is_some() {
                    return Read::unfinished(at);
                }
            } else {
                let Some(item) = Item::at(rest) else {
                    return Read::unfinished(at);
                };
                if let Some(expected) = self.unexpected(&item) {
                    return Read::malformed(at, expected);
                }
                at += item.header;
                self.take(item.kind, sink);
            }
            self.close_full(sink);
            if self.open.is_empty() && self.text.is_none() {
                let (taken, state) = (at, State::Complete);
                return Read { taken, state };
            }
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn garbage(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| begins_map(*byte))
    }
}

impl MessagePackTokens {
    fn unexpected(&self, item: &Item) -> Option<&'static str> {
        match item.kind {
            Kind::Open(Container::Map, _) if self.open.is_empty() => None,
            _ if self.open.is_empty() => Some("a map"),
            Kind::Unknown => Some("a map, a list, a text, a number, a truth value or nil"),
            Kind::Text(_) => None,
            _ if self.at_key() => Some("a key that is a text"),
            Kind::Open(..) if self.open.len() == NESTING_LIMIT => {
                Some("no more than 127 maps and lists inside of each other")
            }
            Kind::Scalar(_) | Kind::Open(..) => None,
        }
    }

    fn at_key(&self) -> bool {
        let is_key = |open: &Open| open.container == Container::Map && open.left.is_multiple_of(2);
        self.open.last().is_some_and(is_key)
    }

    fn take(&mut self, kind: Kind, sink: &mut impl Sink) {
        match kind {
            Kind::Text(length) => {
                self.text = Some(length);
                // An empty text has no bytes to wait for.
                if length == 0 {
                    self.take_text(0, &[], sink);
                }
            }
            Kind::Open(container, count) => {
                self.count();
                sink.open(container);
                let left = match container {
                    Container::Map => 2 * count,
                    Container::List => count,
                };
                self.open.push(Open { container, left });
            }
            Kind::Scalar(scalar) => {
                self.count();
                sink.scalar(scalar);
            }
            Kind::Unknown => {}
        }
    }

    /// Takes the available part of a text of which this many bytes are still to come.
    fn take_text(&mut self, left: u64, bytes: &[u8], sink: &mut impl Sink) -> usize {
        let length = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let left = left - length as u64;
        match self.at_key() {
            true => sink.key(&bytes[..length], left == 0),
            false => sink.text(&bytes[..length], left == 0),
        }
        self.text = Some(left).filter(|left| *left > 0);
        if left == 0 {
            self.count();
        }
        length
    }

    /// Counts a key or a value.
    fn count(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.left -= 1;
        }
    }

    fn close_full(&mut self, sink: &mut impl Sink) {
        while self.open.pop_if(|open| open.left == 0).is_some() {
            sink.close();
        }
    }
}

/// Returns true if this byte can begin a map, and therefore a message.
const fn begins_map(byte: u8) -> bool {
    matches!(byte, 0x80..=0x8f | 0xde | 0xdf)
}

/// Head of one value: the whole value, unless it is a text, a list or a map.
#[derive(Debug)]
struct Item {
    kind: Kind,
    header: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Scalar(Scalar<'static>),
    /// Text of this many bytes.
    Text(u64),
    /// Container of this many elements, or pairs.
    Open(Container, u64),
    /// Extensions, and the one unassigned byte.
    Unknown,
}

impl Item {
    /// Returns the item that `bytes` begin with, or `None` if its head is incomplete.
    fn at(bytes: &[u8]) -> Option<Self> {
        let marker = *bytes.first()?;
        let item = |kind, width: usize| {
            let header = 1 + width;
            Some(Self { kind, header })
        };
        let scalar = |scalar, width| item(Kind::Scalar(scalar), width);
        let small = |bits: u8| u64::from(marker & bits);
        match marker {
            0x00..=0x7f => scalar(Scalar::Unsigned(marker.into()), 0),
            0x80..=0x8f => item(Kind::Open(Container::Map, small(0x0f)), 0),
            0x90..=0x9f => item(Kind::Open(Container::List, small(0x0f)), 0),
            0xa0..=0xbf => item(Kind::Text(small(0x1f)), 0),
            0xc0 => scalar(Scalar::Null, 0),
            0xc2 | 0xc3 => scalar(Scalar::Bool(marker == 0xc3), 0),
            0xc4..=0xc6 => {
                let width = 1 << (marker - 0xc4);
                item(Kind::Text(unsigned(bytes, width)?), width)
            }
            0xca => {
                let float = f32::from_bits(unsigned(bytes, 4)? as u32);
                scalar(Scalar::Float(float.into()), 4)
            }
            0xcb => scalar(Scalar::Float(f64::from_bits(unsigned(bytes, 8)?)), 8),
            0xcc..=0xcf => {
                let width = 1 << (marker - 0xcc);
                scalar(Scalar::Unsigned(unsigned(bytes, width)?), width)
            }
            0xd0..=0xd3 => {
                let width = 1 << (marker - 0xd0);
                scalar(Scalar::Signed(signed(bytes, width)?), width)
            }
            0xd9..=0xdb => {
                let width = 1 << (marker - 0xd9);
                item(Kind::Text(unsigned(bytes, width)?), width)
            }
            0xdc | 0xdd => {
                let width = 2 << (marker - 0xdc);
                item(Kind::Open(Container::List, unsigned(bytes, width)?), width)
            }
            0xde | 0xdf => {
                let width = 2 << (marker - 0xde);
                item(Kind::Open(Container::Map, unsigned(bytes, width)?), width)
            }
            0xe0..=0xff => scalar(Scalar::Signed(i8::from_be_bytes([marker]).into()), 0),
            _ => item(Kind::Unknown, 0),
        }
    }
}

/// Returns the `width` bytes after the marker as a number.
fn unsigned(bytes: &[u8], width: usize) -> Option<u64> {
    let digits = bytes.get(1..=width)?;
    Some(
        digits
            .iter()
            .fold(0, |number, digit| number << 8 | u64::from(*digit)),
    )
}

fn signed(bytes: &[u8], width: usize) -> Option<i64> {
    let shift = 64 - 8 * u32::try_from(width).ok()?;
    Some((unsigned(bytes, width)? << shift).cast_signed() >> shift)
}
