//! Lines of a text, numbered from 1 as Python does.

use alloc::{vec, vec::Vec};

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_text_size::{Ranged, TextSize};

/// Table of line starts, lines without code, and starts of statements.
#[derive(Debug)]
pub(crate) struct LineTable {
    starts: Vec<usize>,
    /// True for each line that holds only white space and comments.
    free: Vec<bool>,
    /// Starts of logical lines: statements, and clauses such as `else`.
    logical: Vec<usize>,
    length: usize,
}

impl LineTable {
    pub(crate) fn new(text: &str, tokens: &Tokens) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts: Vec<_> = core::iter::once(0).chain(newlines).collect();
        let mut table = Self {
            free: vec![true; starts.len()],
            starts,
            logical: Vec::new(),
            length: text.len(),
        };
        table.read(tokens);
        for (line, text) in text.split('\n').enumerate() {
            // The statement continues after a backslash.
            if text.ends_with('\\')
                && let Some(next) = table.free.get_mut(line + 1)
            {
                *next = false;
            }
        }
        table
    }

    fn read(&mut self, tokens: &Tokens) {
        let mut begins = true;
        for token in tokens.iter() {
            match token.kind() {
                TokenKind::Newline => begins = true,
                TokenKind::NonLogicalNewline
                | TokenKind::Comment
                | TokenKind::Indent
                | TokenKind::Dedent
                | TokenKind::EndOfFile => {}
                _ => {
                    if begins {
                        self.logical.push(token.start().to_usize());
                    }
                    begins = false;
                    self.occupy(token.start(), token.end());
                }
            }
        }
    }

    fn occupy(&mut self, start: TextSize, end: TextSize) {
        let (first, last) = (self.line(start), self.line(end));
        for line in first..=last {
            self.free[line as usize - 1] = false;
        }
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the line of an offset.
    pub(crate) fn line(&self, offset: TextSize) -> u32 {
        self.line_at(offset.to_usize())
    }

    pub(crate) fn line_at(&self, offset: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|&start| start <= offset)).unwrap_or(u32::MAX)
    }

    /// Returns the start of a line; one past the last is the end of the text.
    pub(crate) fn start(&self, line: u32) -> usize {
        let start = self.starts.get(line as usize - 1);
        start.copied().unwrap_or(self.length)
    }

    /// Returns true if a line has no code on it, and is not within a string or after a backslash.
    pub(crate) fn is_free(&self, line: u32) -> bool {
        self.free.get(line as usize - 1).copied().unwrap_or(false)
    }

    /// Returns the starts of logical lines within these offsets.
    pub(crate) fn logical_starts(&self, from: usize, to: usize) -> &[usize] {
        let first = self.logical.partition_point(|&start| start < from);
        let last = self.logical.partition_point(|&start| start < to);
        &self.logical[first..last]
    }
}
