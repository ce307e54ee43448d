//! Steps of the compiler: the remaining work, instead of recursion.

use crate::{
    compile::{Compiler, World, data::Data, functions::Body},
    machine::op::Op,
    machine::symbol::Symbol,
};

#[derive(Debug)]
pub(super) enum Task {
    Expression {
        node: u32,
        tail: bool,
    },
    /// The value of a `define`, which gives a function its name.
    Definition {
        name: Symbol,
        node: u32,
    },
    /// Remaining elements of a call, and their total number.
    Elements {
        list: u32,
        next: u32,
        count: u32,
        tail: bool,
    },
    Emit(Op),
    Branch {
        then: u32,
        otherwise: u32,
        tail: bool,
    },
    Otherwise {
        jump: usize,
        node: u32,
        tail: bool,
    },
    Land {
        jump: usize,
    },
    Quote {
        data: Data,
        tail: bool,
    },
    /// Forms from this node to the end; the value is the last one's.
    Sequence {
        next: u32,
        end: u32,
        tail: bool,
    },
    /// Remaining values of a `let`.
    Bindings {
        list: u32,
        next: u32,
        count: u32,
        tail: bool,
    },
    /// Remaining clauses of a `cond`.
    Clauses {
        next: u32,
        end: u32,
        tail: bool,
    },
    Clause {
        node: u32,
        next: u32,
        end: u32,
        tail: bool,
    },
    AfterClause {
        jump: usize,
        next: u32,
        end: u32,
        tail: bool,
    },
    Body(Body),
}

impl Compiler {
    pub(super) fn task(&mut self, task: Task, world: &mut World<'_>) {
        match task {
            Task::Expression { node, tail } => self.expression(node, tail, world),
            Task::Definition { name, node } => self.definition(name, node, world),
            Task::Elements {
                list,
                next,
                count,
                tail,
            } => self.elements(list, next, count, tail),
            Task::Emit(op) => self.emit(op),
            Task::Branch {
                then,
                otherwise,
                tail,
            } => self.branch(then, otherwise, tail),
            Task::Otherwise { jump, node, tail } => self.otherwise(jump, node, tail),
            Task::Land { jump } => self.land(jump),
            Task::Quote { data, tail } => self.quoted(data, tail, world),
            Task::Sequence { next, end, tail } => self.sequence(next, end, tail),
            Task::Bindings {
                list,
                next,
                count,
                tail,
            } => self.bindings(list, next, count, tail),
            Task::Clauses { next, end, tail } => self.clauses(next, end, tail),
            Task::Clause {
                node,
                next,
                end,
                tail,
            } => self.clause(node, next, end, tail),
            Task::AfterClause {
                jump,
                next,
                end,
                tail,
            } => self.after_clause(jump, next, end, tail),
            Task::Body(body) => self.body(body, world),
        }
    }
}
