//! Forms that the original lacks: `let`, `cond` and `begin`.
//!
//! A program for the original may have functions with these names, and keeps them: if a name is bound around the form,
//! by the source or in the environment, it is called like any other.

use crate::{
    compile::{Compiler, Task, World},
    error::ErrorKind,
    machine::op::Op,
    machine::symbol::Symbol,
    machine::value::Value,
    reader::Node,
};

impl Compiler {
    /// Returns true if this name begins one of these forms here.
    pub(super) fn is_form(&self, symbol: Symbol, world: &World<'_>) -> bool {
        let bound = |value: &Value| *value != Value::Unset;
        Symbol::ADDED.contains(&symbol)
            && !self.tree.defines(symbol)
            && !world.globals.get(symbol.index()).is_some_and(bound)
            && !self.is_local(symbol)
    }

    pub(super) fn added_form(&mut self, form: Symbol, list: u32, tail: bool) {
        let (first, end) = (list + 2, self.tree.after(list));
        match form {
            Symbol::LET => self.bind(list, tail),
            Symbol::COND => self.clauses(first, end, tail),
            _ => self.sequence(first, end, tail),
        }
    }

    /// Compiles forms one after the other; nil if there are none.
    pub(super) fn sequence(&mut self, next: u32, end: u32, tail: bool) {
        if next >= end {
            return self.value(Op::Nil, tail);
        }
        let after = self.tree.after(next);
        if after >= end {
            return self.later(next, tail);
        }
        let next_task = Task::Sequence {
            next: after,
            end,
            tail,
        };
        self.work.push(next_task);
        self.work.push(Task::Emit(Op::Pop));
        self.later(next, false);
    }

    /// Compiles a `let` as the call of a function created for it.
    fn bind(&mut self, list: u32, tail: bool) {
        let bindings = list + 2;
        let end = self.tree.after(list);
        let is_list = bindings < end && matches!(self.tree.node(bindings), Node::List { .. });
        if !is_list || self.tree.after(bindings) >= end {
            let message = "let: requires bindings and a body, as in (let ((x 1) (y 2)) (+ x y))";
            return self.raise(list, ErrorKind::Type, message);
        }
        self.let_function(list, bindings);
        self.work.push(Task::Bindings {
            list,
            next: bindings + 1,
            count: 0,
            tail,
        });
    }

    /// Compiles the value of the next binding, or the call.
    pub(super) fn bindings(&mut self, list: u32, next: u32, count: u32, tail: bool) {
        if next >= self.tree.after(list + 2) {
            return self.call(list, count, tail);
        }
        self.work.push(Task::Bindings {
            list,
            next: self.tree.after(next),
            count: count + 1,
            tail,
        });
        // Making the function of an invalid binding fails before.
        if let Some((_, value)) = self.binding(next) {
            self.later(value, false);
        }
    }

    /// Returns the name and value of a `let` binding, if it is one.
    pub(super) fn binding(&self, node: u32) -> Option<(Symbol, u32)> {
        if !matches!(self.tree.node(node), Node::List { .. }) {
            return None;
        }
        let mut elements = self.tree.elements(node);
        let (name, value) = (elements.next()?, elements.next()?);
        match (self.tree.node(name), elements.next()) {
            (Node::Symbol(name), None) => Some((name, value)),
            _ => None,
        }
    }

    /// Compiles the next clause of a `cond`; nil if none is left.
    pub(super) fn clauses(&mut self, next: u32, end: u32, tail: bool) {
        if next >= end {
            return self.value(Op::Nil, tail);
        }
        let (test, after) = (next + 1, self.tree.after(next));
        let is_list = matches!(self.tree.node(next), Node::List { .. });
        if !is_list || test >= after || self.tree.after(test) >= after {
            let message = "cond: a clause is a test and a value, as in ((< x 0) \"negative\")";
            return self.raise(next, ErrorKind::Type, message);
        }
        if self.is_else(test) {
            return self.sequence(self.tree.after(test), after, tail);
        }
        self.work.push(Task::Clause {
            node: next,
            next: after,
            end,
            tail,
        });
        self.later(test, false);
    }

    /// Compiles the rest of a clause after its test.
    pub(super) fn clause(&mut self, node: u32, next: u32, end: u32, tail: bool) {
        let jump = self.unit.ops.len();
        self.emit(Op::JumpIfFalse(0));
        self.work.push(Task::AfterClause {
            jump,
            next,
            end,
            tail,
        });
        let body = self.tree.after(node + 1);
        self.sequence(body, next, tail);
    }

    pub(super) fn after_clause(&mut self, jump: usize, next: u32, end: u32, tail: bool) {
        if !tail {
            self.work.push(Task::Land {
                jump: self.unit.ops.len(),
            });
            self.emit(Op::Jump(0));
        }
        self.land(jump);
        self.work.push(Task::Clauses { next, end, tail });
    }

    fn is_else(&self, test: u32) -> bool {
        self.tree.node(test) == Node::Symbol(Symbol::ELSE)
    }
}
