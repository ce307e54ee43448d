//! Requests reduced to the fields that operations need, which is all that a server stores.

use alloc::{format, string::String, vec::Vec};
use core::mem;

use super::{
    Malformed, MalformedReason,
    decoder::Build,
    text_of_scalar,
    tokens::{Container, Scalar, Sink},
    tree::lossy,
};

/// Field of a request that operations use, independent of its name in a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Op,
    Id,
    Session,
    /// A program.
    Code,
    /// A path, or the content of a file in nREPL's `load-file`.
    File,
    FilePath,
    FileName,
    /// Position of a program in its file.
    Line,
    Column,
    InterruptId,
    /// Request for output as it is produced.
    Stream,
    Token,
    /// Beginning of a name.
    Prefix,
    /// A name.
    Symbol,
    /// Input for a program.
    Input,
    /// Size limit of a value's page, in bytes.
    Page,
}

/// Level of a field in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Top,
    /// In the map `data`.
    Data,
}

/// Mapping of a protocol's name to a field, if the protocol has one.
pub(crate) type FieldName = fn(Level, &[u8]) -> Option<Field>;

/// A request, reduced to these fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    fields: Vec<(Field, Level, String)>,
}

impl Request {
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        self.position(field)
            .map(|place| self.fields[place].2.as_str())
    }

    pub(crate) fn take(&mut self, field: Field) -> Option<String> {
        self.position(field)
            .map(|place| self.fields.swap_remove(place).2)
    }

    /// Returns the field as a number, if it is one.
    pub(crate) fn number<N: core::str::FromStr>(&self, field: Field) -> Option<N> {
        self.get(field)?.parse().ok()
    }

    pub(crate) fn op(&self) -> &str {
        self.get(Field::Op).unwrap_or_default()
    }

    /// Returns the id to echo; empty if there is none.
    pub(crate) fn id(&self) -> String {
        self.get(Field::Id).unwrap_or_default().into()
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let fields = self.fields.capacity() * size_of::<(Field, Level, String)>();
        fields + self.texts().map(String::capacity).sum::<usize>()
    }

    /// Sets a field, replacing its previous value.
    pub(crate) fn set(&mut self, field: Field, level: Level, value: String) {
        self.remove(field, level);
        self.fields.push((field, level, value));
    }

    fn remove(&mut self, field: Field, level: Level) {
        self.fields
            .retain(|(old, old_level, _)| (*old, *old_level) != (field, level));
    }

    /// Returns the request with its memory reduced to what it needs.
    fn shrunk(mut self) -> Self {
        for (_, _, text) in &mut self.fields {
            text.shrink_to_fit();
        }
        self
    }

    /// Returns the position of a field: the message itself takes precedence over its `data`.
    fn position(&self, field: Field) -> Option<usize> {
        let at = |level| {
            let wanted =
                |(name, place, _): &(Field, Level, String)| (*name, *place) == (field, level);
            self.fields.iter().position(wanted)
        };
        at(Level::Top).or_else(|| at(Level::Data))
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        self.fields.iter().map(|(_, _, text)| text)
    }
}

/// Stores the fields of a message, and ignores everything else.
#[derive(Debug)]
pub(crate) struct RequestBuilder {
    name: FieldName,
    request: Request,
    depth: usize,
    /// True if the map at the second level is `data`.
    in_data: bool,
    key: Key,
    key_done: bool,
    /// Field of the next value.
    field: Option<Field>,
    text: Vec<u8>,
    fault: Option<String>,
    ignores: bool,
}

/// The received part of a key. A key longer than any field's name does not match a field.
#[derive(Debug, Default)]
struct Key {
    bytes: [u8; Self::LIMIT],
    length: usize,
}

impl Key {
    const LIMIT: usize = 32;

    fn push(&mut self, piece: &[u8]) {
        let end = self.length + piece.len();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(piece);
        }
        self.length = end;
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl RequestBuilder {
    pub(crate) fn new(name: FieldName) -> Self {
        Self {
            name,
            request: Request::default(),
            depth: 0,
            in_data: false,
            key: Key::default(),
            key_done: true,
            field: None,
            text: Vec::new(),
            fault: None,
            ignores: false,
        }
    }

    fn level(&self) -> Option<Level> {
        match self.depth {
            _ if self.ignores => None,
            1 => Some(Level::Top),
            2 if self.in_data => Some(Level::Data),
            _ => None,
        }
    }

    /// Returns the field that a value here belongs to.
    fn wanted(&self) -> Option<(Field, Level)> {
        Some((self.field?, self.level()?))
    }

    fn set(&mut self, value: String) {
        if let Some((field, level)) = self.wanted() {
            self.request.set(field, level, value);
        }
    }

    fn wrong(&mut self, got: &str) {
        if self.wanted().is_some() && self.fault.is_none() {
            let name = String::from_utf8_lossy(self.key.bytes()).into_owned();
            let wanted = match self.field {
                Some(Field::Stream) => "true or false",
                Some(Field::Id | Field::InterruptId) => "a string or a number",
                _ => "a string",
            };
            self.fault = Some(format!("`{name}` must be {wanted}, not {got}"));
        }
    }
}

impl Sink for RequestBuilder {
    fn open(&mut self, container: Container) {
        let is_data = self.depth == 1 && self.key.bytes() == b"data";
        self.in_data |= is_data && container == Container::Map;
        self.wrong(match container {
            Container::Map => "a map",
            Container::List => "a list",
        });
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.in_data &= self.depth > 1;
    }

    fn key(&mut self, piece: &[u8], done: bool) {
        let Some(level) = self.level() else {
            return;
        };
        if mem::replace(&mut self.key_done, done) {
            self.key = Key::default();
        }
        self.key.push(piece);
        if done {
            self.field = (self.name)(level, self.key.bytes());
        }
    }

    fn text(&mut self, piece: &[u8], done: bool) {
        if self.wanted().is_none() {
            return;
        }
        self.text.extend_from_slice(piece);
        if done {
            let text = lossy(mem::take(&mut self.text));
            self.set(text);
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        let Some((field, level)) = self.wanted() else {
            return;
        };
        match (scalar, text_of_scalar(scalar)) {
            (Scalar::Null, _) => self.request.remove(field, level),
            (Scalar::Bool(truth), _) if field == Field::Stream => {
                self.set(if truth { "true" } else { "" }.into());
            }
            (_, Some(number)) if takes_number(field) => self.set(number),
            (Scalar::Bool(_), _) => self.wrong("a truth value"),
            _ => self.wrong("a number"),
        }
    }
}

impl Build for RequestBuilder {
    type Output = Request;

    fn finish(&mut self) -> Result<Request, Malformed> {
        let Self { request, fault, .. } = mem::replace(self, Self::new(self.name));
        match fault {
            None => Ok(request.shrunk()),
            Some(fault) => Err(Malformed {
                id: request.id(),
                reason: MalformedReason::Shape(fault),
            }),
        }
    }

    fn id(&self) -> String {
        self.request.id()
    }

    fn give_up(&mut self) {
        *self = Self {
            depth: self.depth,
            ignores: true,
            ..Self::new(self.name)
        };
    }

    fn bytes(&self) -> usize {
        self.request.bytes() + self.text.capacity()
    }
}

fn takes_number(field: Field) -> bool {
    matches!(
        field,
        Field::Id | Field::InterruptId | Field::Line | Field::Column | Field::Page
    )
}
