//! Complete messages with all their content, as a client needs for its server's replies.

use alloc::{format, string::String, vec::Vec};
use core::mem;

use serde_json::{Map, Number, Value as Json};

use super::{
    Malformed, MalformedReason, Message,
    decoder::Build,
    tokens::{Container, Scalar, Sink},
};
use crate::zylisp::message::id_of;

/// Builds the tree of a message, and the message from it.
#[derive(Debug, Default)]
pub(crate) struct TreeBuilder {
    open: Vec<Open>,
    /// The received part of a key or a text.
    text: Vec<u8>,
    whole: Option<Json>,
    ignores: bool,
    bytes: usize,
}

#[derive(Debug)]
enum Open {
    List(Vec<Json>),
    /// The map, and the key of the next value.
    Map(Map<String, Json>, String),
}

impl Sink for TreeBuilder {
    fn open(&mut self, container: Container) {
        if !self.ignores {
            self.open.push(match container {
                Container::List => Open::List(Vec::new()),
                Container::Map => Open::Map(Map::new(), String::new()),
            });
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::List(list)) => self.value(list.into()),
            Some(Open::Map(map, _)) => self.value(map.into()),
            None => {}
        }
    }

    fn key(&mut self, piece: &[u8], done: bool) {
        if let Some(text) = self.piece(piece, done)
            && let Some(Open::Map(_, key)) = self.open.last_mut()
        {
            *key = text;
        }
    }

    fn text(&mut self, piece: &[u8], done: bool) {
        if let Some(text) = self.piece(piece, done) {
            self.value(text.into());
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        self.value(match scalar {
            Scalar::Null => Json::Null,
            Scalar::Bool(truth) => truth.into(),
            Scalar::Digits(digits) => serde_json::from_str(digits).unwrap_or_default(),
            Scalar::Unsigned(number) => number.into(),
            Scalar::Signed(number) => number.into(),
            Scalar::Float(number) => Number::from_f64(number).map_or(Json::Null, Json::Number),
        });
    }
}

impl TreeBuilder {
    fn piece(&mut self, piece: &[u8], done: bool) -> Option<String> {
        if self.ignores {
            return None;
        }
        self.text.extend_from_slice(piece);
        self.bytes += piece.len();
        done.then(|| lossy(mem::take(&mut self.text)))
    }

    /// Puts a value in its place. The last of two equal keys wins.
    fn value(&mut self, value: Json) {
        self.bytes += size_of::<Json>();
        match self.open.last_mut() {
            _ if self.ignores => {}
            Some(Open::List(list)) => list.push(value),
            Some(Open::Map(map, key)) => drop(map.insert(mem::take(key), value)),
            None => self.whole = Some(value),
        }
    }
}

impl Build for TreeBuilder {
    type Output = Message;

    fn finish(&mut self) -> Result<Message, Malformed> {
        let tree = mem::take(self).whole.unwrap_or_default();
        let id = tree.get("id").and_then(id_of).unwrap_or_default();
        serde_json::from_value(tree).map_err(|error| Malformed {
            id,
            reason: MalformedReason::Shape(format!("{error}")),
        })
    }

    fn id(&self) -> String {
        match self.open.first() {
            Some(Open::Map(map, _)) => map.get("id").and_then(id_of).unwrap_or_default(),
            _ => String::new(),
        }
    }

    fn give_up(&mut self) {
        *self = Self {
            ignores: true,
            ..Self::default()
        };
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Converts bytes to text; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
