//! Indexes the closing tags of a message, to avoid futile searches.

use alloc::collections::BTreeMap;

use memchr::memmem;

use crate::agent::command::Kind;
use crate::agent::parse::{
    prose::debris,
    prose::marks,
    tags::{self, Name},
};

/// The last closing tag of every name, which makes looking ahead cheap.
pub(in crate::agent::parse) struct Closings<'a> {
    last: BTreeMap<&'a str, usize>,
    /// The last closing tags after marks, by command.
    marked: [Option<usize>; Kind::COUNT],
    /// True if there are too many distinct names to track: every name then counts as closed
    /// somewhere.
    too_many: bool,
}

impl<'a> Closings<'a> {
    pub(in crate::agent::parse) fn of(message: &'a str) -> Self {
        let mut closings = Self {
            last: BTreeMap::new(),
            marked: [None; Kind::COUNT],
            too_many: false,
        };
        let mut held: Option<(&str, usize)> = None;
        for at in memmem::find_iter(message.as_bytes(), b"[/") {
            // Most closing tags repeat the one before, which a comparison detects without parsing the name.
            let again = held.map(|(name, _)| name);
            let again = again.filter(|name| is_plain_closing(&message[at..], name));
            let Some(name) = again.or_else(|| tags::closing_name(&message[at..])) else {
                continue;
            };
            if !begins_line(message, at) {
                closings.insert_marked(message, name, at);
                continue;
            }
            if let Some((other, at)) = held.filter(|(other, _)| *other != name) {
                closings.insert(other, at);
            }
            held = Some((name, at));
        }
        held.into_iter()
            .for_each(|(name, at)| closings.insert(name, at));
        closings
    }

    fn insert(&mut self, name: &'a str, at: usize) {
        self.too_many |= self.last.len() >= CLOSING_NAMES;
        if !self.too_many || self.last.contains_key(name) {
            self.last.insert(name, at);
        }
    }

    fn insert_marked(&mut self, message: &str, name: &'a str, at: usize) {
        if let Some(kind) = Name::new(name).kind
            && message[..at].ends_with(marks::is_mark)
        {
            self.marked[kind as usize] = Some(at);
        }
    }

    /// Returns true if a closing tag, spelled like this name, follows `offset`.
    pub(in crate::agent::parse) fn follows(&self, name: &Name<'_>, offset: usize) -> bool {
        self.too_many || self.last.get(name.text).is_some_and(|&last| last > offset)
    }

    /// Returns true if a closing tag of this command, with marks before it, follows `offset`.
    pub(in crate::agent::parse) fn follows_behind_marks(&self, kind: Kind, offset: usize) -> bool {
        self.marked[kind as usize].is_some_and(|last| last > offset)
    }
}

/// Returns true if `text` begins with `[/NAME]`.
fn is_plain_closing(text: &str, name: &str) -> bool {
    let rest = text.as_bytes().get(2..).unwrap_or_default();
    rest.starts_with(name.as_bytes()) && rest.get(name.len()) == Some(&b']')
}

pub(in crate::agent::parse) fn begins_line(message: &str, at: usize) -> bool {
    if at == 0 || message.as_bytes()[at - 1] == b'\n' {
        return true;
    }
    let before = debris::trim_end(&message[..at]);
    before.is_empty() || before.ends_with('\n')
}

const CLOSING_NAMES: usize = 10_000;
