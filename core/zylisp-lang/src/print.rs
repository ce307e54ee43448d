//! Formats values and strings as text, in any number of pieces.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write;

use crate::{machine::heap::Heap, machine::symbol::Symbols, machine::value::Value};

/// Text that stops growing at its limit, and counts omitted bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Output {
    text: String,
    omitted: usize,
    limit: usize,
}

impl Output {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let room = self.limit - self.text.len();
        let kept = if self.omitted > 0 {
            0
        } else {
            text.floor_char_boundary(room.min(text.len()))
        };
        self.text.push_str(&text[..kept]);
        self.omitted += text.len() - kept;
    }

    /// Returns true if text was already omitted.
    pub(crate) fn is_full(&self) -> bool {
        self.omitted > 0
    }

    /// Returns the number of omitted bytes. Text after the first of them was not counted completely.
    pub(crate) fn omitted(&self) -> usize {
        self.omitted
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity()
    }
}

/// Tables needed to print a value.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) symbols: &'a Symbols,
}

/// A part of a value, in written order: an atom, or a parenthesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item<'a> {
    /// Start of a list.
    Open,
    /// End of the innermost list.
    Close,
    /// Value of `()`.
    Nil,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(i64),
    /// Content of a string.
    Text(&'a str),
    /// Name of a symbol.
    Symbol(&'a str),
    /// A function of the program; its name, if its `define` gave it one.
    Function(Option<&'a str>),
    /// A function built into the language.
    Primitive(&'static str),
}

/// A traversal of a value, from its first part to its last. It needs no recursion, however deep the value is, and can
/// be interrupted after any part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walk {
    next: Option<Value>,
    /// Remaining parts of the open lists.
    rests: Vec<Value>,
}

impl Walk {
    pub(crate) const fn of(value: Value) -> Self {
        Self {
            next: Some(value),
            rests: Vec::new(),
        }
    }

    pub(crate) fn step<'a>(&mut self, names: Names<'a>) -> Option<Item<'a>> {
        if let Some(value) = self.next.take() {
            return Some(self.enter(value, names));
        }
        let Value::Pair(pair) = self.rests.pop()? else {
            return Some(Item::Close);
        };
        let (first, rest) = names.heap.first_and_rest(pair);
        self.rests.push(rest);
        Some(self.enter(first, names))
    }

    /// Returns the values that it still needs.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> {
        self.next.iter().chain(&self.rests).copied()
    }

    /// Returns the values mutably, for updates after a compaction.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.next.iter_mut().chain(&mut self.rests)
    }

    fn enter<'a>(&mut self, value: Value, names: Names<'a>) -> Item<'a> {
        match value {
            Value::Empty | Value::Pair(_) => {
                self.rests.push(value);
                Item::Open
            }
            Value::Nil | Value::Unset => Item::Nil,
            Value::Bool(truth) => Item::Bool(truth),
            Value::Number(number) => Item::Number(number),
            Value::Symbol(symbol) => Item::Symbol(names.symbols.name(symbol)),
            Value::Text(text) => Item::Text(names.heap.str(text)),
            Value::Function(function) => {
                let closure = names.heap.get_closure(function);
                let function = &names.heap.unit(closure.unit).functions[closure.function as usize];
                Item::Function(function.name.map(|name| names.symbols.name(name)))
            }
            Value::Primitive(primitive) => Item::Primitive(primitive.name()),
        }
    }
}

/// Writes the parts of a value with separators.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writer {
    /// True if the next part is not the first in its list.
    follows: bool,
}

impl Writer {
    /// Writes a part and the separator before it, using `string` for strings.
    pub(crate) fn write(
        &mut self,
        item: Item<'_>,
        string: fn(&str) -> String,
        mut push: impl FnMut(&str),
    ) {
        if core::mem::replace(&mut self.follows, item != Item::Open) && item != Item::Close {
            push(" ");
        }
        match item {
            Item::Open => push("("),
            Item::Close => push(")"),
            Item::Nil => push("nil"),
            Item::Bool(truth) => push(if truth { "true" } else { "false" }),
            Item::Number(number) => push(&format!("{number}")),
            Item::Text(text) => push(&string(text)),
            Item::Symbol(name) => push(name),
            Item::Function(_) => push("<function>"),
            Item::Primitive(name) => push(&format!("<primitive:{name}>")),
        }
    }
}

/// Writes a value for people: strings without quotes.
pub(crate) fn display(value: Value, names: Names<'_>, output: &mut Output) {
    write(value, names, output, |text| text.into());
}

/// Formats a value for an error message, which must stay short for a long value.
pub(crate) fn brief(value: Value, names: Names<'_>) -> String {
    let mut output = Output::new(1024);
    write(value, names, &mut output, quoted);
    let cut = if output.is_full() { "…" } else { "" };
    output.into_text() + cut
}

fn write(value: Value, names: Names<'_>, output: &mut Output, string: fn(&str) -> String) {
    let (mut walk, mut writer) = (Walk::of(value), Writer::default());
    while !output.is_full()
        && let Some(item) = walk.step(names)
    {
        writer.write(item, string, |text| output.push(text));
    }
}

/// Quotes a string, with escapes for invisible characters, in the style of Go's `%q`
/// (<https://pkg.go.dev/strconv#Quote>), which the original uses.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        push_escaped(&mut quoted, character);
    }
    quoted.push('"');
    quoted
}

fn push_escaped(quoted: &mut String, character: char) {
    match character {
        '"' => quoted.push_str("\\\""),
        '\\' => quoted.push_str("\\\\"),
        '\x07' => quoted.push_str("\\a"),
        '\x08' => quoted.push_str("\\b"),
        '\x0c' => quoted.push_str("\\f"),
        '\n' => quoted.push_str("\\n"),
        '\r' => quoted.push_str("\\r"),
        '\t' => quoted.push_str("\\t"),
        '\x0b' => quoted.push_str("\\v"),
        ' '..='~' => quoted.push(character),
        _ if is_printable(character) => quoted.push(character),
        _ => push_code(quoted, u32::from(character)),
    }
}

fn push_code(quoted: &mut String, code: u32) {
    let written = match code {
        0..0x80 => write!(quoted, "\\x{code:02x}"),
        0x80..0x1_0000 => write!(quoted, "\\u{code:04x}"),
        _ => write!(quoted, "\\U{code:08x}"),
    };
    // Writing to a string cannot fail.
    let _ = written;
}

/// Returns true for visible characters by Rust's own table. It has no method for that, but its debug escapes show it; a
/// combining mark is escaped there only at the beginning.
fn is_printable(character: char) -> bool {
    let mut bytes = [b' '; 5];
    let length = character.encode_utf8(&mut bytes[1..]).len();
    core::str::from_utf8(&bytes[..=length])
        .is_ok_and(|text| text.escape_debug().nth(1) == Some(character))
}
