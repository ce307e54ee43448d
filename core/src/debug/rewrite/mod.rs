//! Inserts hooks into a module's text, without moving any of its lines where possible.

mod block;
mod edits;
mod hooks;
mod parts;
mod room;
#[cfg(test)]
mod tests;
mod walk;

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};
use core::ops::RangeInclusive;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::source::{FunctionId, Module};
use block::Block;

pub(super) use hooks::{LETTERS, Names};

/// Features of the board's Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Python with `:=`, as in MicroPython from 1.13 on: hooks in expressions are cheap, and variables can be written.
    Walrus,
    /// Python without `:=`: a hook in `if` or `while` is a call, and variables are read-only.
    Old,
}

/// Plan for rewriting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) module: &'a Module,
    /// The module's number, which is part of the numbers of its functions on the board.
    pub(super) number: usize,
    pub(super) hooked: &'a BTreeSet<FunctionId>,
    pub(super) dialect: Dialect,
    pub(super) names: &'a Names,
    /// Conditions that hooks check themselves, by their lines.
    pub(super) conditions: &'a BTreeMap<u32, Condition>,
    /// True if hooks report the parts of expressions.
    pub(super) parts: bool,
    /// True for a program whose threads print while nothing else runs: what they print between two texts would be taken for answers of
    /// the raw REPL.
    pub(super) in_one: bool,
}

/// Condition of the only breakpoint at a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    /// The breakpoint's number.
    pub(super) number: u32,
    /// Expression on one line, of the function's variables and of globals.
    pub(super) text: String,
    /// Variables that make it an expression which raises nothing, if all of them are numbers.
    pub(super) numbers: Option<Vec<String>>,
}

/// A part of a module as sent to the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Text.
    pub text: String,
    /// The module's line for each line of the text, in order.
    pub map: Vec<u32>,
    /// Number of empty lines at the beginning, which give the other lines their original numbers.
    pub padding: usize,
}

/// Adds hooks to these functions of a module, and returns texts to run one after the other in the same module, with the
/// prefix of the hooks' names, with which no name of the module begins.
#[must_use]
pub fn with_hooks(
    module: &Module,
    hooked: &BTreeSet<FunctionId>,
    dialect: Dialect,
) -> (String, Vec<Piece>) {
    let names = Names::new(core::iter::once(module));
    let plan = Plan {
        module,
        number: 0,
        hooked,
        dialect,
        names: &names,
        conditions: &BTreeMap::new(),
        parts: false,
        in_one: false,
    };
    (names.prefix().into(), plan.pieces(1, usize::MAX))
}

/// Number of bits for a function within its module: the module's number is above them, so numbers are unique on the
/// board.
pub(super) const FUNCTION_BITS: u32 = 12;

impl Plan<'_> {
    /// Returns the whole module as one text, which begins with `preamble` and ends with `epilogue`.
    pub(super) fn whole(&self, preamble: &str, epilogue: &str) -> Piece {
        let mut piece = Piece::new();
        let mut preamble = Some(preamble);
        for lines in self.groups() {
            let block = Block::new(
                self,
                lines.clone(),
                piece.room_before(*lines.start()),
                preamble.take(),
            );
            piece.add(*lines.start(), block);
        }
        piece.text.push_str(epilogue);
        piece.text.push('\n');
        piece.map.push(self.module.line_count());
        piece
    }

    /// Returns the module from a line on, as texts to run one after the other, each of at most `limit` bytes if its
    /// statements allow it; as one text if threads may run between them. A text begins with as many empty lines as it needs.
    pub(super) fn pieces(&self, from: u32, limit: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut piece = Piece::new();
        for lines in self
            .groups()
            .into_iter()
            .filter(|lines| *lines.start() >= from)
        {
            let start = *lines.start();
            let mut block = Block::new(self, lines.clone(), piece.room_before(start), None);
            let is_next = piece.is_full(&block, limit)
                || (block.moved > 0 && !piece.is_empty())
                || piece.is_late(start);
            if is_next && !self.in_one {
                pieces.push(core::mem::replace(&mut piece, Piece::new()));
                block = Block::new(self, lines, piece.room_before(start), None);
            }
            piece.add(start, block);
        }
        pieces.push(piece);
        pieces.retain(|piece| !piece.is_empty());
        for piece in &mut pieces {
            if let (Some(&first), Some(&last)) = (piece.map.get(piece.padding), piece.map.last()) {
                self.carry(piece, first..=last);
            }
        }
        pieces
    }

    /// Prepends the required constants of preceding texts to a text that is compiled separately.
    fn carry(&self, piece: &mut Piece, lines: RangeInclusive<u32>) {
        piece.begin_with(&self.module.constants_for(self.offsets(&lines)));
    }

    /// Returns the lines of the module's statements; statements that share a line are grouped.
    fn groups(&self) -> Vec<RangeInclusive<u32>> {
        let mut groups: Vec<RangeInclusive<u32>> = Vec::new();
        for statement in self.module.parsed.suite() {
            let lines = self.lines(statement);
            match groups.last_mut() {
                Some(last) if last.end() >= lines.start() => *last = *last.start()..=*lines.end(),
                _ => groups.push(lines),
            }
        }
        groups
    }

    fn lines(&self, statement: &Stmt) -> RangeInclusive<u32> {
        let lines = &self.module.lines;
        lines.line(statement.start())..=lines.line(statement.end())
    }
}

impl Piece {
    const fn new() -> Self {
        Self {
            text: String::new(),
            map: Vec::new(),
            padding: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Prepends a line, on an existing empty line if the text begins with one.
    fn begin_with(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        self.text.insert_str(0, line);
        if !self.text[line.len()..].starts_with('\n') {
            self.text.insert(line.len(), '\n');
            self.map.insert(0, 1);
            self.padding += 1;
        }
    }

    fn is_full(&self, block: &Block, limit: usize) -> bool {
        !self.is_empty() && self.text.len() - self.padding + block.text.len() > limit
    }

    /// Returns true if this line's number is already taken, because earlier lines have moved down.
    fn is_late(&self, line: u32) -> bool {
        self.map.len() >= line as usize
    }

    /// Number of lines between the last one written and this one.
    fn room_before(&self, line: u32) -> u32 {
        (line - 1).saturating_sub(u32::try_from(self.map.len()).unwrap_or(u32::MAX))
    }

    fn add(&mut self, line: u32, block: Block) {
        let first = line - block.up;
        if self.is_empty() {
            self.padding = first as usize - 1;
        }
        while self.map.len() + 1 < first as usize {
            self.text.push('\n');
            self.map
                .push(u32::try_from(self.map.len() + 1).unwrap_or(u32::MAX));
        }
        self.text.push_str(&block.text);
        self.map.extend(block.map);
    }
}
