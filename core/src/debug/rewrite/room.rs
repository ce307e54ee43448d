//! Free lines that hooks can use, so that no other line has to move.

use alloc::{collections::BTreeSet, vec::Vec};

use super::edits::Edits;
use crate::debug::source::LineTable;

/// The free lines of a block.
pub(super) struct Room<'a> {
    pub(super) lines: &'a LineTable,
    /// The block's first line.
    first: u32,
    taken: BTreeSet<u32>,
    /// Number of additional free lines above the block.
    above: u32,
    /// Number of lines by which the block begins earlier.
    pub(super) up: u32,
    /// Number of lines by which a part had to move down.
    pub(super) moved: u32,
}

impl<'a> Room<'a> {
    pub(super) const fn new(lines: &'a LineTable, first: u32, above: u32) -> Self {
        Self {
            lines,
            first,
            taken: BTreeSet::new(),
            above,
            up: 0,
            moved: 0,
        }
    }

    /// Uses a free line between two others, if one exists; its text becomes `text`.
    pub(super) fn replace(
        &mut self,
        after: u32,
        before: u32,
        text: &str,
        edits: &mut Edits,
    ) -> bool {
        let mut between = after + 1..before;
        let Some(line) = between.find(|line| self.is_free(*line)) else {
            return false;
        };
        self.taken.insert(line);
        let start = self.lines.start(line);
        edits.replace(start, self.lines.start(line + 1) - 1, text);
        true
    }

    /// Frees one line by moving up the headers that begin at these lines, the innermost first, each directly within the
    /// next. If no line above any of them is free, the following lines move down.
    pub(super) fn make(&mut self, headers: &[u32], edits: &mut Edits) {
        if let Some(line) = headers.iter().find_map(|&header| self.free_above(header)) {
            self.taken.insert(line);
            edits.replace(self.lines.start(line), self.lines.start(line + 1), "");
        } else if self.above > 0 && headers.contains(&self.first) {
            self.above -= 1;
            self.up += 1;
        } else {
            self.moved += 1;
        }
    }

    /// Returns a free line above a header. Used lines further down do not matter: lines in between move up with the
    /// header.
    fn free_above(&self, header: u32) -> Option<u32> {
        let above = (self.first..header).rev();
        let empty: Vec<_> = above.take_while(|line| self.lines.is_free(*line)).collect();
        empty.into_iter().find(|line| !self.taken.contains(line))
    }

    fn is_free(&self, line: u32) -> bool {
        self.lines.is_free(line) && !self.taken.contains(&line)
    }
}
