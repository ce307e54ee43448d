//! Prints a value page by page.

use alloc::string::String;

use crate::{
    machine::value::Value,
    print::{Names, Walk, Writer, quoted},
};

/// Progress of printing a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pages {
    walk: Walk,
    writer: Writer,
    /// Text that did not fit into the last page.
    rest: String,
    unfinished: bool,
}

impl Pages {
    pub(crate) fn of(value: Value) -> Self {
        Self {
            walk: Walk::of(value),
            unfinished: true,
            ..Self::default()
        }
    }

    pub(crate) const fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    pub(crate) fn next(&mut self, limit: usize, names: Names<'_>) -> String {
        let mut page = core::mem::take(&mut self.rest);
        while page.len() <= limit && self.unfinished {
            match self.walk.step(names) {
                Some(item) => self.writer.write(item, quoted, |text| page.push_str(text)),
                None => self.unfinished = false,
            }
        }
        if page.len() > limit {
            self.rest = page.split_off(cut(&page, limit));
            self.unfinished = true;
        }
        page
    }

    /// Returns the values that it still needs.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value> {
        self.walk.values()
    }

    /// Returns the values mutably, for updates after a compaction.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.walk.values_mut()
    }
}

/// Returns the end of a page: at the limit, or before the character that lies across it; after at
/// least one character.
fn cut(page: &str, limit: usize) -> usize {
    match page.floor_char_boundary(limit) {
        0 => page.ceil_char_boundary(1),
        end => end,
    }
}
