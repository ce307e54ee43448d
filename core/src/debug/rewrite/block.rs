//! A statement of a module, or several on one line, with hooks.

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::ops::RangeInclusive;

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use super::{Plan, edits::{Edits, Order}, hooks::Hooks, room::Room, walk::{Place, Walk}};
use crate::debug::source::FunctionId;

/// Whole lines of a module with hooks in them.
pub(super) struct Block {
    pub(super) text: String,
    /// The module's line for each of its lines.
    pub(super) map: Vec<u32>,
    /// By how many lines it begins earlier than without hooks.
    pub(super) up: u32,
    /// By how many lines something in it had to move down.
    pub(super) moved: u32,
}

impl Block {
    /// The lines with hooks, where `above` lines before them are free. Before their first statement runs `preamble`.
    pub(super) fn new(plan: &Plan<'_>, lines: RangeInclusive<u32>, above: u32, preamble: Option<&str>) -> Self {
        let (first, last) = lines.into_inner();
        let module = plan.module;
        let (from, to) = (module.lines.start(first), module.lines.start(last + 1));
        let mut walk = Walk {
            plan,
            hooks: Hooks { names: plan.names, dialect: plan.dialect },
            edits: Edits::default(),
            room: Room::new(&module.lines, first, above),
            functions: functions(plan),
            depth: 0,
        };
        let statements = module.parsed.suite();
        let inside = |one: &&Stmt| (from..to).contains(&one.start().to_usize());
        if let Some(preamble) = preamble {
            begin(&mut walk, statements.first(), preamble);
        }
        for statement in statements.iter().filter(inside) {
            walk.statement(statement, &Place::module(plan.hooked), &[], Vec::new());
        }
        let Walk { edits, room, .. } = walk;
        let (text, map) = edits.apply(module.text(), from, to, first);
        Self { text, map, up: room.up, moved: room.moved }
    }
}

/// Puts the preamble before a simple statement, or on a line above it.
fn begin(walk: &mut Walk<'_>, first: Option<&Stmt>, preamble: &str) {
    let Some(first) = first else { return };
    let start = first.start().to_usize();
    if is_compound(first) {
        let line = walk.room.lines.line(first.start());
        walk.room.make(&[line], &mut walk.edits);
        walk.edits.insert(walk.room.lines.start(line), Order::Line, alloc::format!("{preamble}\n"));
    } else {
        walk.edits.insert(start, Order::Line, preamble);
    }
}

pub(super) fn is_compound(statement: &Stmt) -> bool {
    matches!(
        statement,
        Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::If(_)
            | Stmt::While(_)
            | Stmt::For(_)
            | Stmt::With(_)
            | Stmt::Try(_)
            | Stmt::Match(_)
    )
}

/// The functions of a module by where their statements begin.
fn functions(plan: &Plan<'_>) -> BTreeMap<usize, FunctionId> {
    let numbered = plan.module.functions.iter().enumerate().skip(1);
    numbered.map(|(number, one)| (one.range.0, FunctionId(number))).collect()
}
