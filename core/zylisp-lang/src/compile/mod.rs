//! Compiles the tree to code, with every variable resolved to its location.

mod data;
mod forms;
mod functions;
mod names;
mod task;

use alloc::{string::String, sync::Arc, vec::Vec};

use crate::{
    error::{ErrorKind, Fault},
    machine::heap::Heap,
    machine::op::{Op, Unit},
    machine::symbol::{Symbol, Symbols},
    machine::value::Value,
    place::Origin,
    primitive::wrong_count,
    print::Names,
    reader::{Node, Tree},
};
use functions::{Body, Scope};
use task::Task;

/// Compiles the forms of a source, one after the other and each in slices.
#[derive(Debug)]
pub(crate) struct Compiler {
    tree: Tree,
    origin: Arc<Origin>,
    /// Next form.
    form: u32,
    empty: bool,
    unit: Unit,
    scopes: Vec<Scope>,
    /// Scope being compiled, or `None` outside of all functions.
    current: Option<usize>,
    /// Remaining work, last first: the stack that recursion would use.
    work: Vec<Task>,
    /// Functions whose code is not made yet.
    waiting: Vec<Body>,
}

/// Part of the interpreter that the compiler uses.
pub(crate) struct World<'a> {
    pub(crate) heap: &'a mut Heap,
    pub(crate) symbols: &'a Symbols,
    /// Values of the names, by number.
    pub(crate) globals: &'a [Value],
}

impl Compiler {
    pub(crate) fn new(tree: Tree, origin: Origin) -> Self {
        let origin = Arc::new(origin);
        let empty = tree.next() == 0;
        let mut compiler = Self {
            tree,
            unit: Unit::new(Arc::clone(&origin)),
            origin,
            form: 0,
            empty,
            scopes: Vec::new(),
            current: None,
            work: Vec::new(),
            waiting: Vec::new(),
        };
        compiler.begin_form();
        compiler
    }

    /// Continues to compile the current form while there is fuel; returns its code once complete, and then continues
    /// with the next.
    pub(crate) fn step(
        &mut self,
        world: &mut World<'_>,
        fuel: &mut u64,
    ) -> Result<Option<Unit>, Fault> {
        while *fuel > 0 {
            *fuel -= 1;
            if let Some(task) = self.work.pop() {
                self.task(task, world);
            } else if let Some(body) = self.waiting.pop() {
                self.begin_body(body)?;
            } else {
                return Ok(Some(self.end_form()));
            }
        }
        Ok(None)
    }

    /// Returns true once every form has been compiled.
    pub(crate) fn is_done(&self) -> bool {
        self.form >= self.tree.next()
    }

    /// Returns true if there was no form at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Returns the approximate memory in use, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes()
            + self.unit.bytes()
            + self.work.capacity() * size_of::<Task>()
            + self.waiting.capacity() * size_of::<Body>()
            + self.scopes.capacity() * size_of::<Scope>()
            + self.unit.parameters.len() * SLOT_BYTES
    }

    fn begin_form(&mut self) {
        self.current = None;
        self.work.push(Task::Emit(Op::Return));
        match self.is_done() {
            // An empty source is nil.
            true => self.work.push(Task::Emit(Op::Nil)),
            false => self.later(self.form, false),
        }
    }

    fn end_form(&mut self) -> Unit {
        let next = Unit::new(Arc::clone(&self.origin));
        let mut unit = core::mem::replace(&mut self.unit, next);
        if !unit.functions.is_empty() {
            unit.shrink();
        }
        self.scopes.clear();
        self.form = match self.is_done() {
            true => self.form,
            false => self.tree.after(self.form),
        };
        if self.is_done() {
            self.tree = Tree::default();
            self.form = self.tree.next();
        } else {
            self.begin_form();
        }
        unit
    }

    fn expression(&mut self, node: u32, tail: bool, world: &World<'_>) {
        match self.tree.node(node) {
            Node::List { end } if end == node + 1 => self.value(Op::Nil, tail),
            Node::List { .. } => self.list(node, tail, world),
            Node::Symbol(symbol) => {
                let op = self.variable(symbol);
                self.emit_at(node, op);
                self.end(tail);
            }
            Node::Number(number) => self.value(Op::Number(number), tail),
            Node::Bool(truth) => self.value(Op::Bool(truth), tail),
            Node::Text(_) | Node::Long(_) => self.quote_node(node, tail),
        }
    }

    fn list(&mut self, list: u32, tail: bool, world: &World<'_>) {
        match self.tree.node(list + 1) {
            Node::Symbol(Symbol::DEFINE) => self.define(list, tail),
            Node::Symbol(Symbol::LAMBDA) => self.lambda(list, None, tail),
            Node::Symbol(Symbol::IF) => self.conditional(list, tail),
            Node::Symbol(Symbol::QUOTE) => self.quote(list, tail),
            Node::Symbol(form) if self.is_form(form, world) => self.added_form(form, list, tail),
            Node::Symbol(_)
            | Node::Number(_)
            | Node::Long(_)
            | Node::Bool(_)
            | Node::Text(_)
            | Node::List { .. } => self.elements(list, list + 1, 0, tail),
        }
    }

    /// Compiles the next element of a call, or the call itself.
    fn elements(&mut self, list: u32, next: u32, count: u32, tail: bool) {
        if next < self.tree.after(list) {
            self.work.push(Task::Elements {
                list,
                next: self.tree.after(next),
                count: count + 1,
                tail,
            });
            return self.later(next, false);
        }
        self.call(list, count - 1, tail);
    }

    fn call(&mut self, list: u32, arguments: u32, tail: bool) {
        let op = match tail {
            true => Op::TailCall(arguments),
            false => Op::Call(arguments),
        };
        self.emit_at(list, op);
    }

    fn define(&mut self, list: u32, tail: bool) {
        let Some([name, node]) = self.operands("define", list) else {
            return;
        };
        let Node::Symbol(name) = self.tree.node(name) else {
            let message = "define: first argument must be a symbol";
            return self.raise(list, ErrorKind::Type, message);
        };
        if tail {
            self.work.push(Task::Emit(Op::Return));
        }
        let op = self.assignment(name);
        self.work.push(Task::Emit(op));
        self.work.push(Task::Definition { name, node });
    }

    fn definition(&mut self, name: Symbol, node: u32, world: &World<'_>) {
        match self.head(node) {
            Some(Symbol::LAMBDA) => self.lambda(node, Some(name), false),
            _ => self.expression(node, false, world),
        }
    }

    fn conditional(&mut self, list: u32, tail: bool) {
        if let Some([test, then, otherwise]) = self.operands("if", list) {
            self.work.push(Task::Branch {
                then,
                otherwise,
                tail,
            });
            self.later(test, false);
        }
    }

    fn branch(&mut self, then: u32, otherwise: u32, tail: bool) {
        let jump = self.unit.ops.len();
        self.emit(Op::JumpIfFalse(0));
        self.work.push(Task::Otherwise {
            jump,
            node: otherwise,
            tail,
        });
        self.later(then, tail);
    }

    fn otherwise(&mut self, jump: usize, node: u32, tail: bool) {
        if !tail {
            self.work.push(Task::Land {
                jump: self.unit.ops.len(),
            });
            self.emit(Op::Jump(0));
        }
        self.land(jump);
        self.later(node, tail);
    }

    fn land(&mut self, jump: usize) {
        let here = self.here();
        if let Op::Jump(target) | Op::JumpIfFalse(target) = &mut self.unit.ops[jump] {
            *target = here;
        }
    }

    fn later(&mut self, node: u32, tail: bool) {
        self.work.push(Task::Expression { node, tail });
    }

    fn value(&mut self, op: Op, tail: bool) {
        self.emit(op);
        self.end(tail);
    }

    fn end(&mut self, tail: bool) {
        if tail {
            self.emit(Op::Return);
        }
    }

    /// Returns a form's operands if their number is right; otherwise emits code that raises an error when it is
    /// reached.
    fn operands<const N: usize>(&mut self, form: &str, list: u32) -> Option<[u32; N]> {
        let mut operands = [0; N];
        let mut count = 0;
        for operand in self.tree.elements(list).skip(1) {
            if let Some(place) = operands.get_mut(count) {
                *place = operand;
            }
            count += 1;
        }
        if count != N {
            self.raise_fault(list, wrong_count(form, N, count));
            return None;
        }
        Some(operands)
    }

    /// Returns the symbol that a list begins with.
    fn head(&self, node: u32) -> Option<Symbol> {
        let first = self.tree.elements(node).next()?;
        let Node::Symbol(symbol) = self.tree.node(first) else {
            return None;
        };
        Some(symbol)
    }

    fn raise(&mut self, node: u32, kind: ErrorKind, message: impl Into<String>) {
        self.raise_fault(node, Fault::new(kind, message));
    }

    fn raise_fault(&mut self, node: u32, fault: Fault) {
        let op = self.fault(fault);
        self.emit_at(node, op);
    }

    fn fault(&mut self, fault: Fault) -> Op {
        self.unit.errors.push(fault);
        Op::Raise(index(self.unit.errors.len() - 1))
    }

    fn emit(&mut self, op: Op) {
        self.unit.ops.push(op);
    }

    /// Emits an instruction that can fail, with its position in the source.
    fn emit_at(&mut self, node: u32, op: Op) {
        let offset = self.tree.offset(node);
        self.unit.places.push((self.here(), offset));
        self.emit(op);
    }

    fn here(&self) -> u32 {
        index(self.unit.ops.len())
    }
}

impl World<'_> {
    fn names(&self) -> Names<'_> {
        Names {
            heap: self.heap,
            symbols: self.symbols,
        }
    }
}

/// Approximate size of a parameter in its function's map of variables, in bytes.
const SLOT_BYTES: usize = 24;

/// Converts a length to 32 bits: sources are far shorter than 4 GiB.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
