//! The part of MessagePack that messages use: maps with text keys, lists, text, numbers, truth values and nil.

use alloc::{string::String, vec::Vec};

use serde_json::{Map, Number, Value as Json};

use super::{Malformed, MalformedReason, Message, NESTING_LIMIT, Scan, from_tree, malformed};

pub(super) fn encode(message: &Message, out: &mut Vec<u8>) {
    match serde_json::to_value(message) {
        Ok(tree) => write(&tree, out),
        // Strings, numbers and lists cannot fail to become a tree; an empty map is still a message.
        Err(_) => out.push(0x80),
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Message, Malformed> {
    let mut reader = Reader { bytes };
    let tree = reader
        .value(0)
        .ok_or_else(|| malformed(MalformedReason::Syntax))?;
    from_tree(tree)
}

/// Whether a map can begin with this byte, and so a message.
pub(super) const fn begins_map(byte: u8) -> bool {
    matches!(byte, 0x80..=0x8f | 0xde | 0xdf)
}

/// Counts what is still to come of each open map and list.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    /// Where the next item begins, which may be beyond what has arrived. Wraps below zero never: what is forgotten
    /// has been passed.
    pub(super) at: usize,
    open: Vec<u64>,
    begun: bool,
}

impl Scanner {
    pub(super) fn scan(&mut self, message: &[u8]) -> Scan {
        loop {
            if self.begun && self.open.is_empty() {
                return match self.at <= message.len() {
                    true => Scan::Complete(self.at),
                    false => Scan::Incomplete,
                };
            }
            let Some(rest) = message.get(self.at..).filter(|rest| !rest.is_empty()) else {
                return Scan::Incomplete;
            };
            if !self.begun && !begins_map(rest[0]) {
                return Scan::Malformed(self.at);
            }
            let Some(item) = Item::at(rest) else {
                return Scan::Incomplete;
            };
            if matches!(item.kind, Kind::Unknown) || !self.take(&item) {
                return Scan::Malformed(self.at);
            }
        }
    }

    /// Takes in one item: whether it nests no deeper than it may.
    fn take(&mut self, item: &Item) -> bool {
        self.begun = true;
        self.at += item.header + item.payload();
        if let Some(last) = self.open.last_mut() {
            *last -= 1;
        }
        self.open.push(item.children());
        while self.open.last() == Some(&0) {
            self.open.pop();
        }
        self.open.len() <= NESTING_LIMIT
    }
}

/// The head of one value.
#[derive(Debug)]
struct Item {
    kind: Kind,
    header: usize,
    /// Bytes of a text, elements of a list, pairs of a map.
    length: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Nil,
    Bool(bool),
    Integer(Integer),
    Float(f64),
    Text,
    List,
    Map,
    /// Extensions, and the one byte that stands for nothing.
    Unknown,
}

/// An integer of either sign.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Integer {
    Unsigned(u64),
    Signed(i64),
}

impl Item {
    /// The item that `bytes` begin with, or `None` if its head is not whole.
    fn at(bytes: &[u8]) -> Option<Self> {
        let marker = *bytes.first()?;
        let item = |kind, header, length| {
            Some(Self {
                kind,
                header,
                length,
            })
        };
        let number = |kind, width: usize| item(kind, 1 + width, 0);
        let sized = |kind, width: usize| item(kind, 1 + width, unsigned(bytes, width)?);
        match marker {
            0x00..=0x7f => number(Kind::Integer(Integer::Unsigned(marker.into())), 0),
            0x80..=0x8f => item(Kind::Map, 1, u64::from(marker & 0x0f)),
            0x90..=0x9f => item(Kind::List, 1, u64::from(marker & 0x0f)),
            0xa0..=0xbf => item(Kind::Text, 1, u64::from(marker & 0x1f)),
            0xc0 => item(Kind::Nil, 1, 0),
            0xc2 | 0xc3 => item(Kind::Bool(marker == 0xc3), 1, 0),
            0xc4..=0xc6 => sized(Kind::Text, 1 << (marker - 0xc4)),
            0xca => number(
                Kind::Float(f32::from_bits(unsigned(bytes, 4)? as u32).into()),
                4,
            ),
            0xcb => number(Kind::Float(f64::from_bits(unsigned(bytes, 8)?)), 8),
            0xcc..=0xcf => {
                let width = 1 << (marker - 0xcc);
                number(
                    Kind::Integer(Integer::Unsigned(unsigned(bytes, width)?)),
                    width,
                )
            }
            0xd0..=0xd3 => {
                let width = 1 << (marker - 0xd0);
                number(Kind::Integer(Integer::Signed(signed(bytes, width)?)), width)
            }
            0xd9..=0xdb => sized(Kind::Text, 1 << (marker - 0xd9)),
            0xdc | 0xdd => sized(Kind::List, 2 << (marker - 0xdc)),
            0xde | 0xdf => sized(Kind::Map, 2 << (marker - 0xde)),
            0xe0..=0xff => {
                let value = i64::from(i8::from_be_bytes([marker]));
                number(Kind::Integer(Integer::Signed(value)), 0)
            }
            _ => item(Kind::Unknown, 1, 0),
        }
    }

    fn payload(&self) -> usize {
        match self.kind {
            Kind::Text => usize::try_from(self.length).unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    const fn children(&self) -> u64 {
        match self.kind {
            Kind::List => self.length,
            Kind::Map => 2 * self.length,
            _ => 0,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    /// The next value, or `None` if there is none that a message may hold. The depth was counted by the scanner; it
    /// is counted again, so that no caller can overflow the stack.
    fn value(&mut self, depth: usize) -> Option<Json> {
        let item = Item::at(self.bytes)?;
        self.bytes = self.bytes.get(item.header..)?;
        if depth > NESTING_LIMIT {
            return None;
        }
        match item.kind {
            Kind::Nil => Some(Json::Null),
            Kind::Bool(truth) => Some(Json::Bool(truth)),
            Kind::Integer(number) => match number {
                Integer::Unsigned(number) => Some(number.into()),
                Integer::Signed(number) => Some(number.into()),
            },
            Kind::Float(float) => Some(Number::from_f64(float).map_or(Json::Null, Json::Number)),
            Kind::Text => self.text(&item).map(Json::String),
            Kind::List => (0..item.length).map(|_| self.value(depth + 1)).collect(),
            Kind::Map => self.map(item.length, depth),
            Kind::Unknown => None,
        }
    }

    fn map(&mut self, pairs: u64, depth: usize) -> Option<Json> {
        let mut map = Map::new();
        for _ in 0..pairs {
            let Json::String(key) = self.value(depth + 1)? else {
                return None;
            };
            map.insert(key, self.value(depth + 1)?);
        }
        Some(Json::Object(map))
    }

    fn text(&mut self, item: &Item) -> Option<String> {
        let (text, rest) = self.bytes.split_at_checked(item.payload())?;
        self.bytes = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// The `width` bytes after the marker, as a number.
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

fn write(value: &Json, out: &mut Vec<u8>) {
    match value {
        Json::Null => out.push(0xc0),
        Json::Bool(truth) => out.push(0xc2 + u8::from(*truth)),
        Json::Number(number) => write_number(number, out),
        Json::String(text) => write_text(text, out),
        Json::Array(elements) => {
            write_length([0x90, 0x10, 0xdc, 0xdd], elements.len(), out);
            elements.iter().for_each(|element| write(element, out));
        }
        Json::Object(map) => {
            write_length([0x80, 0x10, 0xde, 0xdf], map.len(), out);
            for (key, value) in map {
                write_text(key, out);
                write(value, out);
            }
        }
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    match u8::try_from(text.len()) {
        Ok(length @ 32..) => out.extend_from_slice(&[0xd9, length]),
        _ => write_length([0xa0, 0x20, 0xda, 0xdb], text.len(), out),
    }
    out.extend_from_slice(text.as_bytes());
}

/// Writes a length in the marker if it is below the second number, or in two or four bytes after one.
fn write_length([small, below, two, four]: [u8; 4], length: usize, out: &mut Vec<u8>) {
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length), _) if length < below => out.push(small | length),
        (_, Ok(length)) => {
            out.push(two);
            out.extend_from_slice(&length.to_be_bytes());
        }
        _ => {
            out.push(four);
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(number) = number.as_u64() {
        write_unsigned(number, out);
    } else if let Some(number) = number.as_i64() {
        write_negative(number, out);
    } else if let Some(number) = number.as_f64() {
        out.push(0xcb);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

fn write_unsigned(number: u64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (marker, width) = match number {
        0..0x80 => return out.push(bytes[7]),
        0x80..0x100 => (0xcc, 1),
        0x100..0x1_0000 => (0xcd, 2),
        0x1_0000..0x1_0000_0000 => (0xce, 4),
        _ => (0xcf, 8),
    };
    out.push(marker);
    out.extend_from_slice(&bytes[8 - width..]);
}

fn write_negative(number: i64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (marker, width) = match number {
        -0x20.. => return out.push(bytes[7]),
        -0x80.. => (0xd0, 1),
        -0x8000.. => (0xd1, 2),
        -0x8000_0000.. => (0xd2, 4),
        _ => (0xd3, 8),
    };
    out.push(marker);
    out.extend_from_slice(&bytes[8 - width..]);
}
