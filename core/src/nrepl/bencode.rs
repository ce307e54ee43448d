//! Bencode as specified by BEP 3 (<https://www.bittorrent.org/beps/bep_0003.html>, "bencoding"): integers, texts
//! prefixed by their length, lists and dictionaries.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use crate::zylisp::codec::{Container, NESTING_LIMIT, Read, Scalar, Sink, State, Tokens};

/// Reads the tokens of requests. Keys may come in any order: not every client sorts them, as BEP 3 requires.
#[derive(Debug, Default)]
pub struct BencodeTokens {
    open: Vec<Open>,
    /// Number of bytes of a text still to come.
    text: Option<u64>,
}

/// Open container, and the kind of item expected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    List,
    Key,
    Value,
}

/// First item in some bytes.
enum Item {
    Integer(i64),
    /// A text of this many bytes.
    Text(u64),
    Open(Container),
    /// An empty list, which is nil in Lisps: Emacs writes a field without a value so.
    Nil,
    End,
}

/// Reason why no item was read: more bytes are needed, or something else was expected.
enum NoItem {
    Unfinished,
    Expected(&'static str),
}

impl Tokens for BencodeTokens {
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
                match item(rest)
                    .and_then(|(item, length)| self.expected(item).map(|item| (item, length)))
                {
                    Ok((item, length)) => {
                        at += length;
                        self.take(item, sink);
                    }
                    Err(NoItem::Unfinished) => return Read::unfinished(at),
                    Err(NoItem::Expected(what)) => return Read::malformed(at, what),
                }
            }
            if self.open.is_empty() {
                let (taken, state) = (at, State::Complete);
                return Read { taken, state };
            }
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    /// After malformed input, the next message cannot be located: lengths precede their data.
    fn garbage(&self, _bytes: &[u8]) -> Option<usize> {
        None
    }
}

impl BencodeTokens {
    /// Returns the item, if it is allowed here.
    fn expected(&self, item: Item) -> Result<Item, NoItem> {
        let what = match (self.open.last(), &item) {
            (None, Item::Open(Container::Map)) => return Ok(item),
            (None, _) => "a dictionary",
            (Some(Open::Key), Item::Text(_) | Item::End) | (Some(Open::List), Item::End) => {
                return Ok(item);
            }
            (Some(Open::Key), _) => "a key, or the end of the dictionary",
            (Some(Open::Value), Item::End) => "the value of a key",
            (_, Item::Open(_)) if self.open.len() == NESTING_LIMIT => {
                "at most 127 levels of dictionaries and lists"
            }
            _ => return Ok(item),
        };
        Err(NoItem::Expected(what))
    }

    fn take(&mut self, item: Item, sink: &mut impl Sink) {
        match item {
            Item::Integer(number) => {
                sink.scalar(Scalar::Signed(number));
                self.go_on();
            }
            Item::Text(length) => {
                self.text = Some(length);
                // An empty text has no bytes to wait for.
                if length == 0 {
                    self.take_text(0, &[], sink);
                }
            }
            Item::Open(container) => {
                sink.open(container);
                self.open.push(match container {
                    Container::List => Open::List,
                    Container::Map => Open::Key,
                });
            }
            Item::Nil => {
                sink.scalar(Scalar::Null);
                self.go_on();
            }
            Item::End => {
                sink.close();
                self.open.pop();
                self.go_on();
            }
        }
    }

    /// Takes the available part of a text of which this many bytes are still to come.
    fn take_text(&mut self, left: u64, bytes: &[u8], sink: &mut impl Sink) -> usize {
        let length = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let left = left - length as u64;
        match self.open.last() {
            Some(Open::Key) => sink.key(&bytes[..length], left == 0),
            _ => sink.text(&bytes[..length], left == 0),
        }
        self.text = Some(left).filter(|left| *left > 0);
        if left == 0 {
            self.go_on();
        }
        length
    }

    /// Advances: a value follows a key, and another key follows the value.
    fn go_on(&mut self) {
        if let Some(open) = self.open.last_mut() {
            *open = match open {
                Open::Key => Open::Value,
                Open::Value => Open::Key,
                Open::List => Open::List,
            };
        }
    }
}

/// Returns the item that `bytes` begin with, and its length in bytes; for a text, its head.
fn item(bytes: &[u8]) -> Result<(Item, usize), NoItem> {
    match bytes.first() {
        None => Err(NoItem::Unfinished),
        Some(b'd') => Ok((Item::Open(Container::Map), 1)),
        Some(b'l') => match bytes.get(1) {
            None => Err(NoItem::Unfinished),
            Some(b'e') => Ok((Item::Nil, 2)),
            Some(_) => Ok((Item::Open(Container::List), 1)),
        },
        Some(b'e') => Ok((Item::End, 1)),
        Some(b'i') => {
            let (number, length) = number(&bytes[1..], b'e', INTEGER)?;
            Ok((Item::Integer(number), 1 + length))
        }
        Some(b'0'..=b'9') => {
            let (length, head) = number(bytes, b':', LENGTH)?;
            let length = u64::try_from(length).map_err(|_| NoItem::Expected(LENGTH))?;
            Ok((Item::Text(length), head))
        }
        Some(_) => Err(NoItem::Expected(
            "an integer, a text, a list or a dictionary",
        )),
    }
}

/// Reads a number up to its end, and returns the length of both. An invalid byte is reported as soon as it arrives.
fn number(bytes: &[u8], end: u8, what: &'static str) -> Result<(i64, usize), NoItem> {
    let negative = bytes.first() == Some(&b'-');
    let digits = &bytes[usize::from(negative)..];
    let mut value: i64 = 0;
    for (at, byte) in digits.iter().enumerate() {
        let more = match byte {
            byte if *byte == end && at > 0 => return Ok((value, usize::from(negative) + at + 1)),
            b'0'..=b'9' => i64::from(byte - b'0'),
            _ => return Err(NoItem::Expected(what)),
        };
        // BEP 3 forbids leading zeros and negative zero.
        let leading_zero = (at == 1 && value == 0) || (at == 0 && negative && more == 0);
        let sum = value.checked_mul(10);
        let sum = sum.and_then(|value| match negative {
            true => value.checked_sub(more),
            false => value.checked_add(more),
        });
        value = sum
            .filter(|_| !leading_zero)
            .ok_or(NoItem::Expected(what))?;
    }
    Err(NoItem::Unfinished)
}

const INTEGER: &str = "an integer of 64 bits without leading zeros, and `e` after it";
const LENGTH: &str = "a text's length without leading zeros, and `:` after it";

/// A value to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Integer(i64),
    Text(String),
    List(Vec<Self>),
    Map(Map),
}

/// A dictionary, whose keys are sorted as BEP 3 requires.
pub(super) type Map = BTreeMap<&'static str, Value>;

impl Value {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(number) => out.extend_from_slice(format!("i{number}e").as_bytes()),
            Self::Text(text) => encode_text(text, out),
            Self::List(list) => {
                out.push(b'l');
                list.iter().for_each(|value| value.encode(out));
                out.push(b'e');
            }
            Self::Map(map) => encode_map(map, out),
        }
    }
}

pub(super) fn encode_map(map: &Map, out: &mut Vec<u8>) {
    out.push(b'd');
    for (key, value) in map {
        encode_text(key, out);
        value.encode(out);
    }
    out.push(b'e');
}

fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{}:", text.len()).as_bytes());
    out.extend_from_slice(text.as_bytes());
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl<V: Into<Self>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}
