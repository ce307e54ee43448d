//! Adds hooks to a statement of a module, or several on one line.

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::ops::{Range, RangeInclusive};

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::{
    Plan,
    edits::{Edits, Order},
    hooks::Hooks,
    room::Room,
    walk::{Place, Walk, is_compound},
};
use crate::debug::source::FunctionId;

/// Whole lines of a module with hooks in them.
pub(super) struct Block {
    pub(super) text: String,
    /// The module's line number for each line of the text.
    pub(super) map: Vec<u32>,
    /// Number of lines by which the text begins earlier than without hooks.
    pub(super) up: u32,
    /// Number of lines by which a part of the text had to move down.
    pub(super) moved: u32,
}

impl Block {
    /// Adds hooks to the lines, where `above` lines before them are free. `preamble` runs before their first statement.
    pub(super) fn new(
        plan: &Plan<'_>,
        lines: RangeInclusive<u32>,
        above: u32,
        preamble: Option<&str>,
    ) -> Self {
        let mut walk = Walk::new(plan, *lines.start(), above);
        let statements = plan.module.parsed.suite();
        if let Some(preamble) = preamble {
            begin(&mut walk, statements.first(), preamble);
        }
        let offsets = plan.offsets(&lines);
        for statement in statements
            .iter()
            .filter(|one| offsets.contains(&one.start().to_usize()))
        {
            walk.statement(statement, &Place::module(plan.hooked), &[], Vec::new());
        }
        Self::finish(walk, &lines)
    }

    fn finish(walk: Walk<'_>, lines: &RangeInclusive<u32>) -> Self {
        let Walk {
            plan, edits, room, ..
        } = walk;
        let offsets = plan.offsets(lines);
        let (text, map) = edits.apply(
            plan.module.text(),
            offsets.start,
            offsets.end,
            *lines.start(),
        );
        Self {
            text,
            map,
            up: room.up,
            moved: room.moved,
        }
    }
}

impl Plan<'_> {
    pub(super) fn offsets(&self, lines: &RangeInclusive<u32>) -> Range<usize> {
        let table = &self.module.lines;
        table.start(*lines.start())..table.start(*lines.end() + 1)
    }
}

/// Puts the preamble before a simple statement, or on a line above it.
fn begin(walk: &mut Walk<'_>, first: Option<&Stmt>, preamble: &str) {
    let Some(first) = first else { return };
    let start = first.start().to_usize();
    if is_compound(first) {
        let line = walk.room.lines.line(first.start());
        walk.room.make(&[line], &mut walk.edits);
        walk.edits.insert(
            walk.room.lines.start(line),
            Order::Line,
            alloc::format!("{preamble}\n"),
        );
    } else {
        walk.edits.insert(start, Order::Line, preamble);
    }
}

impl<'a> Walk<'a> {
    fn new(plan: &'a Plan<'a>, first_line: u32, above: u32) -> Self {
        Self {
            plan,
            hooks: Hooks {
                number: plan.number,
                names: plan.names,
                dialect: plan.dialect,
                conditions: plan.conditions,
            },
            edits: Edits::default(),
            room: Room::new(&plan.module.lines, first_line, above),
            functions: functions(plan),
            depth: 0,
        }
    }
}

/// Returns the functions of a module by the start of their statements.
fn functions(plan: &Plan<'_>) -> BTreeMap<usize, FunctionId> {
    let numbered = plan.module.functions.iter().enumerate().skip(1);
    numbered
        .map(|(number, one)| (one.start, FunctionId(number)))
        .collect()
}
