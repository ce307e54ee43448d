//! Edits a text at many places at once.

use alloc::{string::String, vec::Vec};

/// Order of several insertions at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// A value for a `yield` that has none.
    Yielded,
    /// The end of an inner edit.
    Close,
    /// Whole lines.
    Line,
    /// White space at the beginning of a line.
    Indent,
    /// Before a statement or an expression.
    Hook,
    /// Around an expression.
    Open,
}

#[derive(Debug)]
struct Edit {
    at: usize,
    order: Order,
    delete: usize,
    insert: String,
}

/// Insertions and deletions, in any order.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    pub(super) fn insert(&mut self, at: usize, order: Order, insert: impl Into<String>) {
        self.0.push(Edit {
            at,
            order,
            delete: 0,
            insert: insert.into(),
        });
    }

    pub(super) fn replace(&mut self, from: usize, to: usize, insert: impl Into<String>) {
        self.0.push(Edit {
            at: from,
            order: Order::Hook,
            delete: to - from,
            insert: insert.into(),
        });
    }

    /// Returns the edited text between two offsets, and the original line for each of its lines, counted from `line`.
    /// The text ends with a line end.
    pub(super) fn apply(
        mut self,
        text: &str,
        from: usize,
        to: usize,
        line: u32,
    ) -> (String, Vec<u32>) {
        self.0.sort_by_key(|edit| (edit.at, edit.order));
        let mut out = Output {
            text: String::new(),
            map: Vec::new(),
            line,
            at_start: true,
        };
        let mut at = from;
        for edit in &self.0 {
            out.keep(&text[at..edit.at.max(at)]);
            out.part_words(&edit.insert);
            out.add(&edit.insert);
            at = edit.at.max(at);
            out.drop(&text[at..at + edit.delete]);
            at += edit.delete;
        }
        out.keep(&text[at..to]);
        if !out.text.ends_with('\n') {
            out.text.push('\n');
        }
        (out.text, out.map)
    }
}

struct Output {
    text: String,
    map: Vec<u32>,
    /// The next line of the original.
    line: u32,
    at_start: bool,
}

impl Output {
    fn keep(&mut self, text: &str) {
        for character in text.chars() {
            self.begin_line();
            self.text.push(character);
            if character == '\n' {
                self.line += 1;
                self.at_start = true;
            }
        }
    }

    fn add(&mut self, text: &str) {
        for character in text.chars() {
            self.begin_line();
            self.text.push(character);
            self.at_start = character == '\n';
        }
    }

    /// Parts an inserted word from one that stands before it: `in[1]`, `else-x`.
    fn part_words(&mut self, next: &str) {
        let is_word = |one: char| one.is_alphanumeric() || one == '_';
        if self.text.ends_with(is_word) && next.starts_with(is_word) {
            self.text.push(' ');
        }
    }

    fn drop(&mut self, text: &str) {
        self.line += u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
    }

    fn begin_line(&mut self) {
        if core::mem::take(&mut self.at_start) {
            self.map.push(self.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_mapped_to_what_they_were() {
        let text = "a\n\nb\nc\n";
        let mut edits = Edits::default();
        edits.replace(2, 3, "");
        edits.insert(5, Order::Line, "new\n");
        edits.insert(3, Order::Hook, "x;");
        let (text, map) = edits.apply(text, 0, text.len(), 1);
        assert_eq!(text, "a\nx;b\nnew\nc\n");
        assert_eq!(map, [1, 3, 4, 4]);
    }
}
