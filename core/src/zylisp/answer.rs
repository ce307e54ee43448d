//! Result of a program, in the form sent to clients.

use alloc::{format, string::String, vec::Vec};
use core::{fmt, mem};

use serde_json::Value as Json;
use zylisp_lang::{Interpreter, Item, quoted};

/// The value of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Value as JSON: numbers, strings, truth values and lists as themselves, nil as null; symbols, functions, and
    /// lists nested too deeply, as their printed text; only its beginning if the whole is too long.
    pub value: Json,
    /// Value as the language prints it, if the JSON does not show it; its beginning if the whole is
    /// too long.
    pub text: Option<String>,
    /// True if there is more of the text.
    pub more: bool,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => f.write_str(&text_of(&self.value)),
        }
    }
}

/// Formats plain data as the language prints it: strings quoted, lists in parentheses, null as `nil`. Objects, which
/// the language lacks, stay JSON.
#[must_use]
pub fn text_of(value: &Json) -> String {
    match value {
        Json::Null => "nil".into(),
        Json::String(text) => quoted(text),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(text_of).collect();
            format!("({})", elements.join(" "))
        }
        other => format!("{other}"),
    }
}

/// An answer that is being built from an interpreter's value, in slices.
#[derive(Debug)]
pub(super) struct Building {
    /// Open lists, outermost first, after a list that holds the whole result.
    open: Vec<Vec<Json>>,
    /// The JSON, once complete.
    value: Option<Json>,
    /// True if the text is needed, because the JSON does not show everything.
    needs_text: bool,
    text: String,
    /// Number of bytes left for the JSON.
    room: usize,
    limit: usize,
}

impl Building {
    /// Begins with the value of the interpreter's last form, in at most about `limit` bytes.
    pub(super) fn begin(interpreter: &mut Interpreter, limit: usize) -> Self {
        interpreter.rewind();
        Self {
            open: [Vec::new()].into(),
            value: None,
            needs_text: false,
            text: String::new(),
            room: limit,
            limit,
        }
    }

    /// Continues while there is fuel. Returns the answer once it is complete.
    pub(super) fn step(&mut self, interpreter: &mut Interpreter, fuel: &mut u64) -> Option<Answer> {
        while self.is_unfinished() {
            if *fuel == 0 {
                return None;
            }
            let before = self.room;
            let item = interpreter.next_item();
            if self.take(item).is_none() {
                self.open.clear();
                self.needs_text = true;
            }
            spend(fuel, before - self.room);
        }
        match self.needs_text {
            true => self.print(interpreter, fuel),
            false => self.value.take().map(|value| Answer {
                value,
                text: None,
                more: false,
            }),
        }
    }

    fn is_unfinished(&self) -> bool {
        self.value.is_none() && !self.open.is_empty()
    }

    /// Adds the next part of the value, if JSON has room for it.
    fn take(&mut self, item: Option<Item<'_>>) -> Option<()> {
        let value = match item {
            None => {
                self.value = self.open.pop().and_then(|mut whole| whole.pop());
                return Some(());
            }
            Some(Item::Open) => {
                self.open.push(Vec::new());
                return (self.open.len() <= NESTING_LIMIT + 1).then_some(());
            }
            Some(Item::Close) => self.open.pop()?.into(),
            Some(atom) => self.atom(atom)?,
        };
        self.open.last_mut()?.push(value);
        Some(())
    }

    fn atom(&mut self, atom: Item<'_>) -> Option<Json> {
        let value = match atom {
            Item::Bool(truth) => truth.into(),
            Item::Number(number) => number.into(),
            Item::Text(text) => self.text(text)?,
            Item::Symbol(name) => self.named(name)?,
            Item::Function(_) => self.named("<function>")?,
            Item::Primitive(name) => self.named(&format!("<primitive:{name}>"))?,
            // The caller opens and closes lists.
            Item::Nil | Item::Open | Item::Close => Json::Null,
        };
        self.room = self.room.checked_sub(ATOM_BYTES)?;
        Some(value)
    }

    fn named(&mut self, name: &str) -> Option<Json> {
        self.needs_text = true;
        self.text(name)
    }

    fn text(&mut self, text: &str) -> Option<Json> {
        self.room = self.room.checked_sub(text.len())?;
        Some(text.into())
    }

    /// Prints as much as fits.
    fn print(&mut self, interpreter: &mut Interpreter, fuel: &mut u64) -> Option<Answer> {
        while interpreter.has_page() && self.text.len() < self.limit {
            if *fuel == 0 {
                return None;
            }
            let page = interpreter.next_page(PAGE.min(self.limit - self.text.len()));
            self.text.push_str(&page);
            spend(fuel, page.len());
        }
        let text = mem::take(&mut self.text);
        let more = interpreter.has_page();
        let value = self.value.take().filter(|_| !more);
        Some(Answer {
            value: value.unwrap_or_else(|| text.clone().into()),
            text: Some(text),
            more,
        })
    }
}

fn spend(fuel: &mut u64, bytes: usize) {
    *fuel = fuel.saturating_sub(1 + bytes as u64 / BYTES_PER_FUEL);
}

/// Limit of nested lists in JSON: parsers give up at a limit of their own, often 128, and some crash there.
const NESTING_LIMIT: usize = 64;
/// Approximate size of a number or similar value in JSON, in bytes.
const ATOM_BYTES: usize = 8;
/// Length of text printed at once, in bytes.
const PAGE: usize = 16 << 10;
const BYTES_PER_FUEL: u64 = 16;
