//! Values and strings as text.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write;

use super::{heap::Heap, symbol::Symbols, value::Value};

/// Text that stops growing at its limit, and counts what it leaves out.
#[derive(Debug, Default)]
pub(super) struct Output {
    text: String,
    omitted: usize,
    limit: usize,
}

impl Output {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let room = self.limit - self.text.len();
        let kept = if self.omitted > 0 {
            0
        } else {
            text.floor_char_boundary(room.min(text.len()))
        };
        self.text.push_str(&text[..kept]);
        self.omitted += text.len() - kept;
    }

    /// Whether something was left out already.
    pub(super) fn is_full(&self) -> bool {
        self.omitted > 0
    }

    /// How many bytes were left out. What follows the first of them was not all counted.
    pub(super) fn omitted(&self) -> usize {
        self.omitted
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// What is needed to print a value.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    heap: &'a Heap,
    symbols: &'a Symbols,
}

impl<'a> Names<'a> {
    pub(super) fn new(heap: &'a Heap, symbols: &'a Symbols) -> Self {
        Self { heap, symbols }
    }

    pub(super) fn heap(self) -> &'a Heap {
        self.heap
    }

    pub(super) fn symbols(self) -> &'a Symbols {
        self.symbols
    }
}

/// A value as a person reads it: strings bare.
pub(super) fn display(value: Value, names: Names<'_>, output: &mut Output) {
    write(value, names, output, bare);
}

/// A value as a program is written: strings quoted.
pub(super) fn print(value: Value, names: Names<'_>, output: &mut Output) {
    write(value, names, output, quoted);
}

/// A value for an error message, which must not be as long as the value may be.
pub(super) fn brief(value: Value, names: Names<'_>) -> String {
    let mut output = Output::new(1024);
    print(value, names, &mut output);
    let cut = if output.is_full() { "…" } else { "" };
    output.into_text() + cut
}

/// Lists that are half printed wait in a vector: they may nest deeper than the host's stack.
fn write(value: Value, names: Names<'_>, output: &mut Output, string: fn(&str) -> String) {
    let mut rests: Vec<Value> = Vec::new();
    let mut next = Some(value);
    while !output.is_full() {
        let pair = match next.take() {
            Some(Value::Pair(pair)) => {
                output.push("(");
                pair
            }
            Some(atom) => {
                write_atom(atom, names, output, string);
                continue;
            }
            None => match rests.pop() {
                Some(Value::Pair(pair)) => {
                    output.push(" ");
                    pair
                }
                Some(_) => {
                    output.push(")");
                    continue;
                }
                None => return,
            },
        };
        let (first, rest) = names.heap.first_and_rest(pair);
        rests.push(rest);
        next = Some(first);
    }
}

fn write_atom(atom: Value, names: Names<'_>, output: &mut Output, string: fn(&str) -> String) {
    match atom {
        Value::Nil | Value::Unset => output.push("nil"),
        Value::Bool(truth) => output.push(if truth { "true" } else { "false" }),
        Value::Number(number) => output.push(&format!("{number}")),
        Value::Symbol(symbol) => output.push(names.symbols.name(symbol)),
        Value::Text(text) => output.push(&string(names.heap.str(text))),
        Value::Empty | Value::Pair(_) => output.push("()"),
        Value::Function(_) => output.push("<function>"),
        Value::Primitive(primitive) => output.push(&format!("<primitive:{}>", primitive.name())),
    }
}

fn bare(text: &str) -> String {
    text.into()
}

/// A string in quotes, with escapes for what cannot be seen, in the style of Go's `%q`.
pub(super) fn quoted(text: &str) -> String {
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

/// Rust's own table of what can be seen. It has no method for that, but its escapes for debugging tell; a combining
/// mark is escaped there only when it comes first.
fn is_printable(character: char) -> bool {
    let mut bytes = [b' '; 5];
    let length = character.encode_utf8(&mut bytes[1..]).len();
    core::str::from_utf8(&bytes[..=length])
        .is_ok_and(|text| text.escape_debug().nth(1) == Some(character))
}
